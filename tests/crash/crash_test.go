package main

import (
	"os"
	"strconv"
	"testing"
	"time"
)

// The rounds that every change must pass. The seeds are always the same, so that a
// failure can be repeated; BETCODE_CRASH_SEED sets another first seed. A slow machine
// plays fewer rounds in the time, which is no failure; the number is printed.

func TestRounds(t *testing.T) {
	o := options{rounds: 200, parallel: 8, seed: seed(t, 1), within: 22 * time.Second, out: os.Stdout}
	if testing.Short() {
		o.rounds = 20
	}
	play(t, o)
}

// TestRoundsRace plays rounds on daemons with the race detector.
func TestRoundsRace(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the daemon with the race detector")
	}
	play(t, options{rounds: 30, parallel: 6, seed: seed(t, 10001), within: 8 * time.Second, race: true, out: os.Stdout})
}

func play(t *testing.T, o options) {
	t.Helper()
	result, err := run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if result.failed > 0 || result.rounds == 0 {
		t.Errorf("%d of %d rounds failed", result.failed, result.rounds)
	}
}

func seed(t *testing.T, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv("BETCODE_CRASH_SEED")
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestScheduleFromSeed checks that a seed always makes the same schedule.
func TestScheduleFromSeed(t *testing.T) {
	for seed := range uint64(100) {
		if a, b := newSchedule(seed), newSchedule(seed); a.String() != b.String() {
			t.Fatalf("seed %d:\n%s\n%s", seed, a, b)
		}
	}
}
