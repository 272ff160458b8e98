package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"betcode/messages"
)

func open(t *testing.T, o Options) *Log {
	t.Helper()
	l, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func all(t *testing.T, l *Log, f messages.AuditFilter) []messages.AuditEntry {
	t.Helper()
	var found []messages.AuditEntry
	err := l.Read(context.Background(), f, func(e messages.AuditEntry) error { found = append(found, e); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// fileName is the name of a file of decisions.
func fileName(first uint64) string { return (&series{suffix: decisionSuffix}).fileName(first) }

var granted = messages.AuditEntry{
	Type: messages.AuditGranted, Session: "s", ActorType: messages.ActorUser, ActorID: "ann", Tool: "Bash",
	Input: []byte(`{"command":"ls"}`), Outcome: messages.OutcomeSuccess,
}

func TestEntries(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	o := Options{Directory: dir, MaxAge: 24 * time.Hour, Now: func() time.Time { at = at.Add(time.Second); return at }}
	l := open(t, o)
	l.Record(granted)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l.Record(granted) // too late, and without effect
	l = open(t, o)
	l.Record(messages.AuditEntry{Type: messages.AuditDenied, Session: "t", Outcome: messages.OutcomeTimeout})

	entries := all(t, l, messages.AuditFilter{})
	seen := map[string]bool{}
	for i, e := range entries {
		if e.ID != uint64(i+1) || e.EventID == "" || seen[e.EventID] || e.CreatedAt.IsZero() || !e.ExpiresAt.Equal(e.CreatedAt.Add(24*time.Hour)) {
			t.Errorf("%+v", e)
		}
		seen[e.EventID] = true
	}
	if len(entries) != 4 {
		t.Fatalf("%d entries", len(entries))
	}
	e := entries[1]
	if e.InputPreview != `{"command":"ls"}` || len(e.InputHash) != 64 || e.Severity != "info" || e.ActorID != "ann" {
		t.Errorf("%+v", e)
	}
	if entries[3].Severity != "error" {
		t.Errorf("%+v", entries[3])
	}
	for _, test := range []struct {
		filter messages.AuditFilter
		want   int
	}{
		{messages.AuditFilter{Session: "s"}, 1},
		{messages.AuditFilter{Types: []messages.AuditType{messages.AuditDenied, messages.AuditOpened}}, 3},
		{messages.AuditFilter{Since: e.CreatedAt.Add(time.Nanosecond)}, 2},
	} {
		if got := len(all(t, l, test.filter)); got != test.want {
			t.Errorf("%+v: %d", test.filter, got)
		}
	}
	stop := errors.New("enough")
	if err := l.Read(context.Background(), messages.AuditFilter{}, func(messages.AuditEntry) error { return stop }); !errors.Is(err, stop) {
		t.Error(err)
	}
	for path, mode := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, fileName(1)): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

// A daemon that cannot write its audit log gets an error before it does anything.
func TestNoLogNoStart(t *testing.T) {
	dir := t.TempDir()
	for name, spoil := range map[string]func(path string) error{
		"a file in its place":    func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"a directory for a file": func(path string) error { return os.MkdirAll(filepath.Join(path, fileName(1)), 0o700) },
	} {
		path := filepath.Join(dir, name)
		if err := spoil(path); err != nil {
			t.Fatal(err)
		}
		if l, err := Open(Options{Directory: path}); err == nil {
			l.Close()
			t.Errorf("%s: opened", name)
		}
	}
}

// Torn and damaged lines are skipped; the numbers continue.
func TestTornLine(t *testing.T) {
	dir := t.TempDir()
	l := open(t, Options{Directory: dir})
	l.Record(granted)
	l.Close()
	path := filepath.Join(dir, fileName(1))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(r *rapid.T) {
		cut := rapid.IntRange(0, len(whole)).Draw(r, "cut")
		junk := rapid.SampledFrom([]string{"", "\x00\xff", "{}\n", "{\"id\":"}).Draw(r, "junk")
		os.WriteFile(path, append(bytes.Clone(whole[:cut]), junk...), 0o600)
		l, err := Open(Options{Directory: dir})
		if err != nil {
			r.Fatal(err)
		}
		defer l.Close()
		l.Record(granted)
		entries := all(t, l, messages.AuditFilter{})
		for i, e := range entries {
			if e.ID != uint64(i+1) {
				r.Fatalf("entry %d has the number %d", i+1, e.ID)
			}
		}
		lines := bytes.SplitAfter(whole[:cut], []byte("\n"))
		want := len(lines) - 1 + 2
		if junk == "" && json.Valid(lines[len(lines)-1]) {
			want++ // only its end was torn off
		}
		if len(entries) != want {
			r.Fatalf("%d entries, want %d", len(entries), want)
		}
	})
}

func TestOldFilesGo(t *testing.T) {
	dir := t.TempDir()
	at := time.Now()
	o := Options{Directory: dir, MaxAge: 72 * time.Hour, Now: func() time.Time { return at }}
	l := open(t, o)
	for range 6 { // a file a day
		l.Record(granted)
		names, _ := l.decisions.files(dir)
		os.Chtimes(filepath.Join(dir, names[len(names)-1]), at, at)
		at = at.Add(25 * time.Hour)
	}
	l.Record(granted)
	entries := all(t, l, messages.AuditFilter{})
	if first := entries[0].ID; first != 6 {
		t.Errorf("the first that is left is %d", first)
	}
	l.Close()
	o.MaxBytes = 1
	l = open(t, o)
	at = at.Add(2 * time.Hour)
	l.Record(granted)
	if names, _ := l.decisions.files(dir); len(names) != 1 {
		t.Errorf("left: %v", names)
	}
}

func TestFileIsFull(t *testing.T) {
	dir := t.TempDir()
	l := open(t, Options{Directory: dir})
	l.decisions.size = fileBytes
	l.Record(granted)
	names, err := l.decisions.files(dir)
	if err != nil || strings.Join(names, " ") != fileName(1)+" "+fileName(2) {
		t.Errorf("%v, %v", names, err)
	}
	if got := len(all(t, l, messages.AuditFilter{})); got != 2 {
		t.Errorf("%d entries", got)
	}
}
