package run

import (
	"time"

	"betcode/actors/internal/act"
	"betcode/messages"
)

// A disk may fail to read for a while (EIO). The output of the agent is most likely still there, so the run reads it again,
// with backoff, for as long as the process lives: the agent works on, until its quota freezes it. When the process is gone the
// run gives up when a person stops the session, or after ten minutes. Then it reports the output as damaged to the session.

// The backoff of reading again, and how long the spool of an ended agent is tried.
const (
	unreadLeast    = time.Second
	unreadMost     = 30 * time.Second
	unreadPatience = 10 * time.Minute
)

// unread tracks a spool that cannot be read.
type unread struct {
	since time.Time // zero = it can be read
	pause time.Duration
	waits bool // for the next try
}

// OutputUnreadable tells the session that the spool cannot be read, or can be read again.
type OutputUnreadable struct {
	Run messages.RunNumber
	Err error // nil = it can be read
}

// readAgain is sent when the next attempt is due.
type readAgain struct{}

// unreadable handles a failed read. It reports whether the spool will be read again.
func (s state) unreadable(at time.Time, err error) (state, []act.Effect, bool) {
	u := &s.unread
	if messages.KindOf(err) != messages.Unavailable ||
		s.phase == phaseDraining && (s.stopping && s.how == StopOrderly || !u.since.IsZero() && at.Sub(u.since) > unreadPatience) {
		return s, nil, false
	}
	var effects []act.Effect
	if u.since.IsZero() {
		u.since, u.pause = at, 0
		effects = append(effects, tell{OutputUnreadable{s.record.Run, err}})
	}
	u.pause = min(max(2*u.pause, unreadLeast), unreadMost)
	u.waits, s.more = true, true
	return s, append(effects, act.After{Delay: u.pause, Message: readAgain{}}), true
}

// readable ends the reading with backoff after a read that succeeded.
func (s state) readable(effects []act.Effect) (state, []act.Effect) {
	if s.unread.since.IsZero() {
		return s, effects
	}
	s.unread = unread{}
	return s, append(effects, tell{OutputUnreadable{Run: s.record.Run}})
}
