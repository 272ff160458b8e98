package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"betcode/messages/claudecode"
	"betcode/tests/kit"
)

// TestOldestAndNewest plays every scenario with the oldest and the newest supported version.
func TestOldestAndNewest(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the real Claude Code")
	}
	told, err := run(t.Context(), options{
		versions: []string{claudecode.Oldest(), claudecode.Newest()}, parallel: 4, patience: patience, out: os.Stdout,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(told.summary())
	if told.count(failed) > 0 || told.count(passed) == 0 {
		t.Error("scenarios failed")
	}
}

// TestPageIsOfWhatIsSupported holds docs/fidelity.md to the supported versions and to
// the scenarios: both are played before the page is written.
func TestPageIsOfWhatIsSupported(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(kit.Repository(), "docs", "fidelity.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	if want := "| scenario | " + strings.Join(claudecode.Supported(), " | ") + " |\n"; !strings.Contains(page, want) {
		t.Errorf("the page has no line %s", want)
	}
	for _, s := range scenarios {
		if !strings.Contains(page, "\n| "+s.name+" | ") {
			t.Errorf("the page does not have %q", s.name)
		}
	}
	if strings.Contains(page, string(failed)) || !strings.Contains(page, " fail=0\n") {
		t.Error("the page has failures: run make fidelity")
	}
}
