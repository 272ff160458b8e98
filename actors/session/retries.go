package session

import (
	"time"

	"betcode/actors/internal/act"
	"betcode/messages"
	"betcode/supervision"
)

// retries is how often agents of the session have failed, and whether the next one waits.
type retries struct {
	supervision.History
	waiting bool // a timer ends it, see restartDue
}

// restartDue is the timer's message at the end of a backoff.
type restartDue struct{ run messages.RunNumber }

// retryAfter delays the start of the next agent.
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
