package main

import (
	"os"
	"testing"
)

// TestGateways plays all exchanges.
func TestGateways(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the real Claude Code")
	}
	scores, err := run(t.Context(), options{parallel: 5, out: os.Stdout})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(summary(scores))
	if differ(scores) {
		t.Error("exchanges differ")
	}
}
