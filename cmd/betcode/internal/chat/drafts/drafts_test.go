package drafts

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func open(t *testing.T) *Store {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "typed"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func draft(t *testing.T, s *Store, session string, exact bool) (*Draft, Saved) {
	t.Helper()
	d, saved, err := s.Draft("/project", session, exact)
	if err != nil {
		t.Fatal(err)
	}
	return d, saved
}

func TestDraftIsTakenOver(t *testing.T) {
	s := open(t)
	a, saved := draft(t, s, "a", false)
	if !saved.empty() {
		t.Errorf("there was a draft: %v", saved)
	}
	a.Save(Saved{Session: "a", Text: "half a sentence", Unconfirmed: []Message{{"k", "sent"}}})
	b, saved := draft(t, s, "b", false)
	if !saved.empty() {
		t.Errorf("the draft of a living terminal was taken over: %v", saved)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if d, saved := draft(t, s, "other", true); !saved.empty() {
		t.Errorf("the draft of another session: %v", saved)
	} else if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	c, saved := draft(t, s, "c", false)
	if saved.Text != "half a sentence" || len(saved.Unconfirmed) != 1 {
		t.Errorf("taken over: %v", saved)
	}
	d, saved := draft(t, s, "d", false)
	if !saved.empty() {
		t.Errorf("taken over twice: %v", saved)
	}
	c.Save(Saved{})
	for _, d := range []*Draft{b, c, d} {
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(s.dir, "drafts", "*", "*")); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}

// Two terminals that are attached to one session have a draft each.
func TestDraftsOfOneSession(t *testing.T) {
	s := open(t)
	a, _ := draft(t, s, "a", true)
	b, _ := draft(t, s, "a", true)
	a.Save(Saved{Text: "one"})
	b.Save(Saved{Text: "two"})
	for _, d := range []*Draft{a, b} {
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if c, saved := draft(t, s, "a", true); saved.Text != "one" {
		t.Errorf("taken over: %v", saved)
	} else if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestFilesAreClosedToOthers(t *testing.T) {
	s := open(t)
	d, _ := draft(t, s, "../../strange\x00name", false)
	d.Save(Saved{Text: "secret"})
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.History("/project").Add("secret", time.Now()); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(s.dir, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %s", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(s.dir, "drafts", "*", "*.json")); len(left) != 1 {
		t.Errorf("files %v", left)
	}
}

func TestHistory(t *testing.T) {
	s := open(t)
	h := s.History("/project")
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, text := range []string{"one", "two\nlines", strings.Repeat("x", maxEntryBytes+1)} {
		if err := h.Add(text, now); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.OpenFile(h.path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"at":"2026-01-01T00:00:00Z","te`); err != nil { // torn by a crash
		t.Fatal(err)
	}
	f.Close()
	if err := h.Add("three", now); err != nil {
		t.Fatal(err)
	}
	if got, err := h.Load(); err != nil || strings.Join(got, "|") != "one|two\nlines|three" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := s.History("/other").Load(); err != nil || len(got) != 0 {
		t.Errorf("of another directory: %q, %v", got, err)
	}
}

// Terminals that send at the same time lose nothing, and the file stays bounded.
func TestHistoryIsBounded(t *testing.T) {
	h := open(t).History("/project")
	var adding sync.WaitGroup
	for terminal := range 4 {
		adding.Go(func() {
			for i := range 50 {
				if err := h.Add(fmt.Sprintf("%d/%d %s", terminal, i, strings.Repeat("x", 20<<10)), time.Now()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	adding.Wait()
	got, err := h.Load()
	if err != nil || len(got) < 20 || len(got) > 200 {
		t.Errorf("%d entries, %v", len(got), err)
	}
	if info, err := os.Stat(h.path); err != nil || info.Size() > maxHistoryBytes {
		t.Errorf("size %v, %v", info, err)
	}
}
