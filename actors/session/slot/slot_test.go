package slot

import (
	"strings"
	"testing"
	"time"

	"betcode/actors/pool"
	"betcode/messages"
)

func TestAnswered(t *testing.T) {
	for _, test := range []struct {
		from    State
		place   pool.Place
		verdict Verdict
		to      State
	}{
		{Asked, pool.Admitted, Granted, Held},
		{Asked, pool.Queued, Waits, Queued},
		{Asked, pool.Full, Refused, None},
		{None, pool.Admitted, Surplus, None},
		{None, pool.Full, Surplus, None},
		{Queued, pool.Admitted, Ignored, Held},
		{Queued, pool.Queued, Ignored, Queued},
		{Queued, pool.Full, Ignored, Queued},
		{Held, pool.Queued, Ignored, Held},
	} {
		s := Slot{state: test.from}
		if got := s.Answered(test.place); got != test.verdict || s.State() != test.to {
			t.Errorf("%d, answer %d: verdict %d, then %d", test.from, test.place, got, s.State())
		}
	}
}

func TestWant(t *testing.T) {
	var s Slot
	if !s.Want() || s.Want() || s.State() != Asked || s.Promised() {
		t.Errorf("%+v", s)
	}
	s.Hold()
	if s.Want() || !s.Promised() || s.Again() {
		t.Errorf("%+v", s)
	}
	s.Release()
	if s != (Slot{}) || s.Again() {
		t.Errorf("%+v", s)
	}
	for _, state := range []State{Asked, Queued} {
		s := Slot{state: state}
		if !s.Again() || s.State() != Asked {
			t.Errorf("after %d: %+v", state, s)
		}
	}
}

// The pool hears news only, and a slot that is not held cannot be taken.
func TestNews(t *testing.T) {
	var s Slot
	if s.Take(); s.Taken() {
		t.Error("nothing was taken")
	}
	s.Hold()
	if !s.Rests(true, false) || s.Rests(true, false) || !s.Rests(true, true) || !s.Asks(true) || s.Asks(true) {
		t.Errorf("%+v", s)
	}
	if s.Take(); !s.Taken() {
		t.Error("the slot was not taken")
	}
	if resting, idle, asking := s.Known(); !resting || !idle || !asking {
		t.Errorf("%+v", s)
	}
	if got := s.Bare(); got != (Slot{state: Held}) {
		t.Errorf("%+v", got)
	}
}

func TestReason(t *testing.T) {
	until := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		waits   pool.Waits
		message string
		details map[string]string
	}{
		"at once":         {pool.Waits{Reason: messages.SlotSoon}, "", nil},
		"busy":            {pool.Waits{Reason: messages.SlotBusy}, "All agents are busy; ", nil},
		"asking":          {pool.Waits{Reason: messages.SlotBusy, Asking: "one, two"}, "answer (one, two)", map[string]string{"waiting_for_a_person": "one, two", "hold": "1m0s"}},
		"fleet":           {pool.Waits{Reason: messages.SlotFleetStopped}, "fleet resume", map[string]string{"fleet": "stopped"}},
		"limit":           {pool.Waits{Reason: messages.SlotRateLimited, Until: until}, "starts after 2026-11-20T09:00:00Z", map[string]string{"rate_limited_until": "2026-11-20T09:00:00Z"}},
		"limit has ended": {pool.Waits{Reason: messages.SlotRateLimited}, "just ended", nil},
		"memory":          {pool.Waits{Reason: messages.SlotMemory, Free: 1 << 20, Needed: 1 << 30}, "(1.0 MiB of 1.0 GiB)", nil},
	} {
		message, details := Reason(test.waits, time.Minute)
		if !strings.Contains(message, test.message) || (message == "") != (test.message == "") {
			t.Errorf("%s: %q", name, message)
		}
		for key, want := range test.details {
			if details[key] != want {
				t.Errorf("%s: %s is %q", name, key, details[key])
			}
		}
	}
}

func TestFullError(t *testing.T) {
	e := FullError("start agent", "s1")
	if e.Op != "start agent" || e.Kind != messages.Exhausted || e.Code != messages.PoolExhausted || e.Details["session_id"] != "s1" || e.Hint == "" {
		t.Errorf("%+v", e)
	}
}
