package main

import (
	"os"
	"testing"
)

// TestAttack plays every scenario: what docs/security.md claims holds, or this
// fails and prints the cases that are open.
func TestAttack(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the real Claude Code")
	}
	told, err := run(t.Context(), options{parallel: 4, out: os.Stdout})
	if err != nil {
		t.Fatal(err)
	}
	if told.open() > 0 || told.cases == 0 {
		t.Errorf("%d of %d cases are open", told.open(), told.cases)
	}
}

// TestNames checks that each scenario has a name of its own, since documents refer
// to it.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range scenarios {
		if s.name == "" || seen[s.name] {
			t.Errorf("the name %q is empty or used twice", s.name)
		}
		seen[s.name] = true
		if s.attack == nil {
			t.Errorf("%s attacks nothing", s.name)
		}
	}
}
