package sidecar

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"betcode/messages"
)

func TestFleetStopSurvivesADaemon(t *testing.T) {
	path, now := filepath.Join(t.TempDir(), "fleet.json"), time.Date(2026, 11, 23, 8, 0, 0, 0, time.UTC)
	load := func() *Fleet {
		t.Helper()
		f, err := LoadFleet(path, now)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	f := load()
	if f.Present().Stopped() {
		t.Fatal("a new fleet is stopped")
	}
	want := messages.FleetStop{Since: now, By: "ann", Reason: "too expensive"}
	if err := f.Stop(want); err != nil {
		t.Fatal(err)
	}
	if err := f.Stop(messages.FleetStop{Since: now.Add(time.Hour), By: "bob"}); err != nil {
		t.Fatal(err)
	}
	if got := load().Present(); got != want {
		t.Errorf("the next daemon reads %+v", got)
	}
	if err := f.Resume(); err != nil {
		t.Fatal(err)
	}
	if load().Present().Stopped() {
		t.Error("it is stopped after the resume")
	}
}

// A file that cannot be read stops the fleet: a person may have stopped it.
func TestDamagedFleetFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fleet.json")
	for _, content := range []string{"", "{", `{"format":9,"since":"2026-11-23T08:00:00Z"}`, `{"format":1}`} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := LoadFleet(path, time.Now())
		if err == nil || !f.Present().Stopped() {
			t.Errorf("%q: %v, %+v", content, err, f.Present())
		}
		if err := f.Resume(); err != nil {
			t.Fatal(err)
		}
	}
}

// A stop that cannot be stored is effective in this daemon.
func TestFleetStopWithoutADisk(t *testing.T) {
	f, err := LoadFleet(filepath.Join(t.TempDir(), "gone", "fleet.json"), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Stop(messages.FleetStop{Since: time.Now()}); err == nil || !f.Present().Stopped() {
		t.Errorf("%v, %+v", err, f.Present())
	}
}
