package sidecar

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"betcode/messages"
)

func TestLimitsSurviveADaemon(t *testing.T) {
	path, now := filepath.Join(t.TempDir(), "rate-limits.json"), time.Date(2026, 11, 23, 8, 0, 0, 0, time.UTC)
	load := func() *Limits {
		t.Helper()
		l, err := LoadLimits(path)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	l := load()
	want := []messages.FleetLimit{
		{Session: "a", Kind: "five_hour", Since: now, Until: now.Add(time.Hour), Resets: now.Add(2 * time.Hour)},
		{Account: "/b", Session: "b", Since: now, Until: now.Add(time.Minute)},
	}
	l.Hold(want)
	if len(load().Present()) > 0 {
		t.Error("what is not saved is read")
	}
	if err := l.Save(); err != nil {
		t.Fatal(err)
	}
	if got := load().Present(); !slices.Equal(got, want) {
		t.Errorf("the next daemon reads %+v", got)
	}
	if err := l.Set(nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) || len(l.Present()) > 0 {
		t.Errorf("after the end: %v, %v", err, l.Present())
	}
}

// A file that cannot be read is no limit.
func TestDamagedLimitsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rate-limits.json")
	for _, content := range []string{"", "{", `{"format":9}`} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if l, err := LoadLimits(path); err == nil || len(l.Present()) > 0 {
			t.Errorf("%q: %v, %v", content, l.Present(), err)
		}
	}
}
