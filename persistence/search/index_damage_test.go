package search

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"betcode/messages"
)

// An index of another journal or format, or a damaged one, is rebuilt, and the reason is reported.
func TestAnIndexThatDoesNotFit(t *testing.T) {
	for name, harm := range map[string]func(t *testing.T, path string, j *journal){
		"another journal": func(_ *testing.T, _ string, j *journal) { j.lineage = "restored" },
		"rolled back": func(_ *testing.T, _ string, j *journal) {
			h := j.sessions["a"]
			h.outline.Head, h.events = 3, h.events[:3]
		},
		"truncated": func(t *testing.T, path string, _ *journal) {
			if err := os.Truncate(path, 3*4096+100); err != nil {
				t.Fatal(err)
			}
		},
		"emptied": func(t *testing.T, path string, _ *journal) {
			if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"a link": func(t *testing.T, path string, _ *journal) {
			if err := errors.Join(os.Rename(path, path+".2"), os.Symlink(path+".2", path)); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			j, directory := example(), t.TempDir()
			x := opened(t, j, directory)
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
			harm(t, filepath.Join(directory, FileName), j)
			x, lost, err := Open(Options{Directory: directory, Journal: j})
			if err != nil || lost == nil {
				t.Fatalf("lost %v, %v", lost, err)
			}
			defer x.Abandon()
			if events, _ := x.Behind(nil); events == 0 {
				t.Error("the new index claims to have everything")
			}
			catchUp(t, x)
			if !slices.Contains(hits(t, x, messages.Search{Text: "parser"}), "a:1") {
				t.Error("the new index does not find what the journal has")
			}
		})
	}
}

// A flipped byte is either without effect or damage. It never changes what is found.
func TestFlippedBytes(t *testing.T) {
	j, directory := example(), t.TempDir()
	x := opened(t, j, directory)
	want := hits(t, x, messages.Search{Text: "parser"})
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(directory, FileName)
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for at := 0; at < len(sound); at += 97 {
		if sound[at] == 0 {
			continue
		}
		flipped := slices.Clone(sound)
		flipped[at] ^= 0x10
		if err := os.WriteFile(path, flipped, 0o600); err != nil {
			t.Fatal(err)
		}
		x, lost, err := Open(Options{Directory: directory, Journal: j})
		if err != nil {
			t.Fatalf("byte %d: %v", at, err)
		}
		if lost == nil && x.Check() == nil {
			got, err := x.Find(background, messages.Search{Text: "parser", ByTime: true, Limit: 99}, nil)
			if err != nil || len(got.Hits) != len(want) && got.Behind == 0 { // of two meta pages the older one may be the sound one
				t.Errorf("byte %d: %d hits, %v; the check finds nothing", at, len(got.Hits), err)
			}
		} else {
			found++
		}
		x.Abandon()
	}
	if found == 0 {
		t.Error("no flipped byte was noticed")
	}
}

func TestFilesArePrivate(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "search")
	x := opened(t, example(), directory)
	defer x.Abandon()
	for path, want := range map[string]os.FileMode{directory: 0o700 | os.ModeDir, filepath.Join(directory, FileName): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}
