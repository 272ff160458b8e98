package main

import (
	"os"
	"testing"

	"betcode/messages/claudecode"
)

// TestOldestAndNewest plays every scenario with the ends of what is supported.
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
