package run

import (
	"time"

	"betcode/actors/internal/act"
	"betcode/messages"
)

// A disk may not answer for a while (EIO). What the agent has written is still there,
// as far as anybody knows, so it is read again, later and later, and not given up:
// the agent works on, until its quota holds it. Only where nothing more can come, the
// process being gone, there is an end to that: when a person wants the session
// stopped, or after ten minutes. Then its output is damaged, which is told.

// How long it is waited before a spool is read again, at first and at most, and how
// long that of an ended agent is tried.
const (
	unreadLeast    = time.Second
	unreadMost     = 30 * time.Second
	unreadPatience = 10 * time.Minute
)

// unread is how it stands with a spool that cannot be read.
type unread struct {
	since time.Time // zero: it can
	pause time.Duration
	waits bool // for the next try
}

// readAgain is the run's own word for the next try. OutputUnreadable tells the session,
// and health, that the spool cannot be read, or can again.
type (
	readAgain        struct{}
	OutputUnreadable struct {
		Run messages.RunNumber
		Err error // nil: it can
	}
)

// unreadable decides what follows when the disk did not answer. It reports whether
// the spool is to be tried again.
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

// readable ends that.
func (s state) readable(effects []act.Effect) (state, []act.Effect) {
	if s.unread.since.IsZero() {
		return s, effects
	}
	s.unread = unread{}
	return s, append(effects, tell{OutputUnreadable{Run: s.record.Run}})
}
