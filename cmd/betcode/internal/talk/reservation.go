package talk

import (
	"time"

	pb "betcode/proto/betcode/v1"
)

// After a daemon was killed, a session's input lock stays reserved for its former holder (daemon.lock_grace, 10 s by
// default). A run waits for the end of the reservation instead of failing.
const (
	reservedPause    = 500 * time.Millisecond // between two attempts
	reservedPatience = 30 * time.Second       // for all attempts
)

// reservation waits for the end of a reserved input lock.
type reservation struct {
	began time.Time        // of the first refusal; zero = there was none
	due   <-chan time.Time // ready when the prompt is to be sent again
}

// refused reports whether an event refuses the prompt only because the lock is reserved, and another attempt is in time.
func (r *reservation) refused(t *turn, e *pb.AgentEvent, now time.Time) bool {
	f := e.GetError()
	if f == nil || t.accepted || f.GetCode() != noInputLock || f.GetDetails()["idempotency_key"] != t.key ||
		f.GetDetails()["lock_reserved"] != "true" {
		return false
	}
	if r.began.IsZero() {
		r.began = now
	}
	return now.Sub(r.began) < reservedPatience
}

// awaitLock schedules another attempt, and tells a person about the first one.
func (r *unattended) awaitLock(e *pb.AgentEvent) {
	if r.reserved.due == nil {
		r.say("The daemon has just started, and the session's input lock is reserved for its former holder (%s); waiting up to %s.",
			holderOf(r.client.ID(), e.GetError()), reservedPatience)
	}
	r.reserved.due = time.After(reservedPause)
}

// resend sends the prompt once more, with a new key, because the former message was refused.
func (r *unattended) resend() { r.send() }
