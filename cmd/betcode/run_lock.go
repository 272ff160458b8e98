package main

import (
	"time"

	"betcode/cmd/betcode/internal/console"
	pb "betcode/proto/betcode/v1"
)

// After a daemon was killed, a session's input lock stays reserved for the client that
// held it (daemon.lock_grace, 10 s by default). A run waits for that to end instead of
// failing.
const (
	reservedPause    = 500 * time.Millisecond // between two tries
	reservedPatience = 30 * time.Second       // for all of them
)

// reservation waits for the end of a reserved input lock.
type reservation struct {
	began time.Time        // of the first refusal; zero = there was none
	due   <-chan time.Time // when the prompt is sent again
}

// refused reports whether an event refuses the prompt only because the lock is reserved,
// and there is time left to try again.
func (r *reservation) refused(t *turn, e *pb.AgentEvent, now time.Time) bool {
	f := e.GetError()
	if f == nil || t.accepted || f.GetCode() != "NO_INPUT_LOCK" || f.GetDetails()["idempotency_key"] != t.key ||
		f.GetDetails()["lock_reserved"] != "true" {
		return false
	}
	if r.began.IsZero() {
		r.began = now
	}
	return now.Sub(r.began) < reservedPatience
}

// awaitLock sends the prompt again later, and says so the first time.
func (r *unattended) awaitLock(e *pb.AgentEvent) {
	if r.reserved.due == nil {
		r.say("The daemon was ended a moment ago, and the session's input lock is kept for the client that had it (%s); waiting up to %s.",
			console.Line(e.GetError().GetDetails()["holder_client_id"]), reservedPatience)
	}
	r.reserved.due = time.After(reservedPause)
}

// sayAgain sends the prompt once more, as a message of its own: the one before was
// refused.
func (r *unattended) sayAgain() { r.turn.key = r.conv.Say(r.prompt) }
