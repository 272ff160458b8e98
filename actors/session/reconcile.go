package session

import (
	"time"

	"betcode/actors/internal/act"
	"betcode/supervision"
)

// What a session wants of its agent follows from its state, not from the event that came:
//
//	up                      it is given the messages that it does not have
//	wanted and not there    it gets a slot and is started
//	not wanted, not there   the session is idle, and its actor may go
//
// reconcile compares the two at the end of every step. Handlers only change the state.

// retries is how often agents of the session have failed, and whether the next one waits.
type retries struct {
	supervision.History
	waiting bool // a timer ends it, see restartDue
}

// reconcile starts an agent if one is wanted and none is there, and gives the running one the
// messages that wait for it.
func (t *transition) reconcile() {
	switch s := &t.s; {
	case s.endReason().final():
	case s.agent.up:
		t.deliver()
	case !s.wanted() || s.active() || s.agent.readingTranscript:
	case s.retries.waiting || t.now.full:
	case len(s.slot.admissions) > 0: // they come first, see admit
	case t.wantSlot():
		t.startRun()
	}
}

// afterRun decides about a turn that was interrupted, and says that nothing is going on if that
// is so. What is left to do is done by [transition.reconcile].
func (t *transition) afterRun() {
	if !t.halt() && !t.s.wanted() {
		t.idle()
		t.maybeRetire()
	}
}

// retryAfter lets the next agent wait.
func (t *transition) retryAfter(delay time.Duration) {
	t.s.retries.waiting = true
	t.then(act.After{Delay: delay, Message: restartDue{t.s.record.Run}})
}

// retryDue ends the wait for the next agent.
func (t *transition) retryDue(m restartDue) {
	if m.run == t.s.record.Run {
		t.s.retries.waiting = false
	}
}
