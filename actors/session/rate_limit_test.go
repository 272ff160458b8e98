package session

import (
	"testing"
	"time"

	"betcode/actors/internal/claude"
	"betcode/messages"
)

// A limit is noted, and what it refused is not tried again: no start, no write and no
// timer follows.
func TestRateLimit(t *testing.T) {
	failed := claude.TurnEnded{Inputs: []string{"k1"}, IsError: true, Subtype: "success", Failure: "RATE_LIMITED", Error: "429"}
	b := turning(t)
	b.quiet()
	end := b.now.Add(time.Hour)
	b.on(b.out(claude.RateLimited{Until: end, Kind: "five_hour"}))
	b.on(b.out(claude.RateLimited{}, failed), "all: 6 IDLE")
	want := messages.RateLimit{Since: b.now, Until: end, Kind: "five_hour"}
	if got := b.state.record.RateLimit; got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	b.crash()
	b.quiet()
	if got := b.state.record.RateLimit; got != want {
		t.Errorf("after a crash of the daemon: %+v, want %+v", got, want)
	}
	b.tell(b.adopted())
	b.tell(b.out(claude.TurnEnded{LocalCommand: true}))
	if !b.state.record.RateLimit.Holds(b.now) {
		t.Error("a command that needs no request ends the limit")
	}
	b.tell(b.out(claude.TurnEnded{StopReason: "end_turn"}))
	if got := b.state.record.RateLimit; got != (messages.RateLimit{}) {
		t.Errorf("after a success: %+v", got)
	}
}

func TestRateLimitHolds(t *testing.T) {
	for _, test := range []struct {
		limit messages.RateLimit
		holds bool
	}{
		{messages.RateLimit{}, false},
		{messages.RateLimit{Since: dawn}, true},
		{messages.RateLimit{Since: dawn, Until: dawn.Add(time.Second)}, true},
		{messages.RateLimit{Since: dawn, Until: dawn}, false},
	} {
		if got := test.limit.Holds(dawn); got != test.holds {
			t.Errorf("%+v: %v", test.limit, got)
		}
	}
}
