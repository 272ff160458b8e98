package recall

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What the transcript says is read from files, and compared with the journal.
func TestRead(t *testing.T) {
	home := t.TempDir()
	write := func(project, text string) string {
		path := filepath.Join(home, ".claude", "projects", project, "c.jsonl")
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const answer = `{"type":"assistant","message":{"stop_reason":"end_turn","content":[]}}` + "\n"
	prompt := func(key, at string) string {
		return `{"type":"user","uuid":"` + key + `","timestamp":"` + at + `","message":{"content":"x"}}` + "\n"
	}
	write("old", prompt("k1", "2026-11-20T10:00:00Z"))
	path := write("new", prompt("k2", "2026-11-21T10:00:00Z")+answer+prompt("k3", "2026-11-22T10:00:00Z")+answer)
	known := func(key string) (bool, error) { return key == "k2", nil }
	read := func(q Question) Answer {
		return q.Read([]string{"HOME=" + home}, known)
	}
	got := read(Question{Run: 1, Conversation: "c", Keys: []string{"k1", "k9"}, Compare: true})
	if got.Err != nil || !got.Found || !got.Known["k1"] || got.Known["k9"] || got.End.Reason != "end_turn" || got.Path != path {
		t.Errorf("%+v", got)
	}
	if len(got.Lacking) != 1 || got.Lacking[0].Key != "k3" {
		t.Errorf("lacking: %v", got.Lacking)
	}
	if got := read(Question{Run: 1, Conversation: "c", Keys: []string{"k1"}}); len(got.Lacking) != 0 {
		t.Errorf("compared without need: %v", got.Lacking)
	}
	if got := read(Question{Run: 1, Conversation: "other", Compare: true}); got.Found || got.Err != nil || got.End.Reason != "" {
		t.Errorf("%+v", got)
	}
	known = func(string) (bool, error) { return false, errors.New("broken") }
	if got := read(Question{Run: 1, Conversation: "c", Compare: true}); got.Err == nil || len(got.Lacking) > 0 {
		t.Errorf("%+v", got)
	}
}

// However many transcripts a conversation has, and however large they are together, reading them ends.
func TestReadIsBounded(t *testing.T) {
	home := t.TempDir()
	at := func(n int) string {
		return filepath.Join(home, ".claude", "projects", fmt.Sprint(n), "c.jsonl")
	}
	link := func(from, to int) {
		t.Helper()
		for n := from; n < to; n++ {
			if err := errors.Join(os.MkdirAll(filepath.Dir(at(n)), 0o700), os.Link(at(0), at(n))); err != nil {
				t.Fatal(err)
			}
		}
	}
	const prompt = `{"type":"user","uuid":"k","message":{"content":"x"}}` + "\n"
	if err := errors.Join(os.MkdirAll(filepath.Dir(at(0)), 0o700), os.WriteFile(at(0), []byte(prompt), 0o600)); err != nil {
		t.Fatal(err)
	}
	read := func() Answer {
		return Question{Conversation: "c", Keys: []string{"k"}}.Read([]string{"HOME=" + home}, nil)
	}
	link(1, maxFiles)
	if got := read(); got.Err != nil || !got.Known["k"] {
		t.Errorf("%+v", got)
	}
	link(maxFiles, maxFiles+1)
	if got := read(); got.Err == nil || !got.Found || got.End.Reason != "" {
		t.Errorf("too many: %+v", got)
	}
}

// The allowance counts what is read of all transcripts.
func TestAllowance(t *testing.T) {
	left := allowance(10)
	for n, want := range []bool{true, true, false, false} {
		_, err := io.ReadAll(limited{strings.NewReader("12345"), &left})
		if (err == nil) != want {
			t.Errorf("file %d: %v", n, err)
		}
	}
}
