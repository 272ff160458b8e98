package main

import (
	"os"
	"testing"
	"time"
)

// TestRounds plays as many random rounds as fit into a bounded time.
func TestRounds(t *testing.T) {
	o := options{rounds: 200, parallel: 10, seed: uint64(time.Now().UnixNano()), within: 80 * time.Second, out: os.Stdout}
	if testing.Short() {
		o.rounds = 20
	}
	result, err := run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if result.failed > 0 || result.rounds == 0 {
		t.Errorf("%d of %d rounds failed", result.failed, result.rounds)
	}
}

// TestScheduleFromSeed checks that a seed is a schedule.
func TestScheduleFromSeed(t *testing.T) {
	for seed := range uint64(100) {
		if a, b := newSchedule(seed).String(), newSchedule(seed).String(); a != b {
			t.Fatalf("seed %d:\n%s\n%s", seed, a, b)
		}
	}
}
