package transcript

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// Records as Claude Code 2.1.330 writes them, without the members that are not read.
const (
	said      = `{"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":"say hello"},"uuid":"k1","timestamp":"2026-11-27T10:00:32.067Z"}` + "\n"
	answered  = `{"isSidechain":false,"message":{"content":[{"type":"text","text":"Hello."}],"role":"assistant","stop_reason":"end_turn"},"type":"assistant","uuid":"a1"}` + "\n"
	called    = `{"isSidechain":false,"message":{"content":[{"type":"tool_use","id":"t"}],"stop_reason":"tool_use"},"type":"assistant","uuid":"a2"}` + "\n"
	result    = `{"isSidechain":false,"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"x"}]},"uuid":"r1","toolUseResult":"x"}` + "\n"
	mark      = `{"isSidechain":false,"type":"user","message":{"role":"user","content":[{"type":"text","text":"[Request interrupted by user for tool use]"}]},"uuid":"m1"}` + "\n"
	failed    = `{"isSidechain":false,"type":"assistant","message":{"stop_reason":"stop_sequence","content":[{"type":"text","text":"API Error: 401"}]},"isApiErrorMessage":true,"uuid":"a3"}` + "\n"
	lastSaid  = `{"type":"last-prompt","lastPrompt":"say hello","leafUuid":"x"}` + "\n"
	folded    = `{"isSidechain":false,"type":"attachment","attachment":{"type":"queued_command","source_uuid":"k9"},"uuid":"x"}` + "\n"
	reminder  = `{"isSidechain":false,"type":"attachment","attachment":{"type":"todo_reminder"},"uuid":"y"}` + "\n"
	below     = `{"isSidechain":true,"type":"user","message":{"role":"user","content":"do it"},"uuid":"s1"}` + "\n"
	goingOn   = `{"isSidechain":false,"type":"user","isMeta":true,"message":{"role":"user","content":[{"type":"text","text":"Continue from where you left off."}]},"uuid":"c1"}` + "\n"
	tokens    = `{"isSidechain":false,"message":{"content":[{"type":"text","text":"Hel"}],"stop_reason":"max_tokens"},"type":"assistant","uuid":"a4"}` + "\n"
	mentioned = `{"isSidechain":false,"type":"user","message":{"role":"user","content":"what is \"type\":\"assistant\" and \"isSidechain\":true?"},"uuid":"k2"}` + "\n"
)

func TestEnd(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want End
	}{
		"empty":              {"", End{}},
		"begun":              {said, End{}},
		"answered":           {said + answered, End{"end_turn", "Hello."}},
		"notes behind it":    {said + answered + reminder + lastSaid, End{"end_turn", "Hello."}},
		"a subagent's":       {said + answered + below, End{"end_turn", "Hello."}},
		"next begun":         {said + answered + mentioned, End{}},
		"a tool runs":        {said + called, End{}},
		"a tool ran":         {said + called + result, End{}},
		"interrupted":        {said + called + result + mark, End{Reason: "cancelled"}},
		"failed":             {said + failed, End{"error", "API Error: 401"}},
		"continued":          {said + called + goingOn, End{}},
		"a message folded":   {said + called + result + answered + folded, End{}},
		"out of tokens":      {said + tokens, End{}},
		"torn":               {said + answered + called[:60], End{"end_turn", "Hello."}}, // the agent drops it too
		"torn behind a type": {said + strings.TrimSuffix(answered, "\n"), End{}},
		"noise":              {"[]\nnot JSON\n" + said + answered + "null\n", End{"end_turn", "Hello."}},
	} {
		got, err := Read(strings.NewReader(test.text), nil)
		if err != nil || got.End != test.want {
			t.Errorf("%s: %+v, %v; want %+v", name, got.End, err, test.want)
		}
	}
}

// Only what a person wrote is a prompt.
func TestPrompts(t *testing.T) {
	got, err := Read(strings.NewReader(said+called+result+mark+below+goingOn+mentioned+answered), []string{"k2", "k9"})
	keys := make([]string, 0, len(got.Prompts))
	for _, p := range got.Prompts {
		keys = append(keys, p.Key)
	}
	if err != nil || !slices.Equal(keys, []string{"k1", "k2"}) || !got.Known["k2"] || got.Known["k9"] {
		t.Errorf("%v, %v, %v", keys, got.Known, err)
	}
	if at := got.Prompts[0].At; !at.Equal(time.Date(2026, 11, 27, 10, 0, 32, 67e6, time.UTC)) || !got.Newest().IsZero() {
		t.Errorf("%v, %v", at, got.Newest())
	}
}

// A record whose name is too long for a key is no prompt: thousands of them would fill the memory.
func TestLongNamesAreNoPrompts(t *testing.T) {
	record := func(key string) string {
		return `{"type":"user","uuid":"` + key + `","message":{"content":"x"}}` + "\n"
	}
	longest := strings.Repeat("k", maxPromptKey)
	got, err := Read(strings.NewReader(record(longest)+record(longest+"k")), nil)
	if err != nil || len(got.Prompts) != 1 || got.Prompts[0].Key != longest {
		t.Errorf("%v, %v", got.Prompts, err)
	}
}

// The newest prompts stay.
func TestManyPrompts(t *testing.T) {
	var b strings.Builder
	for i := range 3*maxPrompts + 5 {
		fmt.Fprintf(&b, `{"type":"user","uuid":"k%d","message":{"content":"x"}}`+"\n", i)
	}
	got, err := Read(strings.NewReader(b.String()), nil)
	if n := len(got.Prompts); err != nil || n != maxPrompts || got.Prompts[n-1].Key != fmt.Sprintf("k%d", 3*maxPrompts+4) {
		t.Errorf("%d, %v", n, err)
	}
}

func TestSince(t *testing.T) {
	r := Report{Known: map[string]bool{"k3": true}, Prompts: []Prompt{{Key: "k1"}, {Key: "k2"}, {Key: "k3"}, {Key: "k4"}, {Key: "k5"}}}
	for name, test := range map[string]struct {
		known string
		want  int
	}{"asked about": {"k1", 2}, "in the journal": {"k4", 1}, "newest": {"k5", 0}} {
		got, err := r.Since(func(key string) (bool, error) { return key == test.known, nil })
		if err != nil || len(got) != test.want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	broken := errors.New("broken")
	if got, err := r.Since(func(string) (bool, error) { return false, broken }); !errors.Is(err, broken) || got != nil {
		t.Errorf("%v, %v", got, err)
	}
	r.Known = nil
	if got, err := r.Since(func(string) (bool, error) { return false, nil }); err != nil || len(got) != 5 {
		t.Errorf("none is known: %v, %v", got, err)
	}
}
