package actors

import (
	"time"

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

// readAgain is the run's own word for the next try. spoolUnread tells the session,
// and health, that the spool cannot be read, or can again.
type (
	readAgain   struct{}
	spoolUnread struct {
		run messages.RunNumber
		err error // nil: it can
	}
)

// unreadable decides what follows when the disk did not answer. It reports whether
// the spool is to be tried again.
func (s runState) unreadable(at time.Time, err error) (runState, []effect, bool) {
	u := &s.unread
	if messages.KindOf(err) != messages.Unavailable ||
		s.phase == runDraining && (s.stopping && s.how == stopOrderly || !u.since.IsZero() && at.Sub(u.since) > unreadPatience) {
		return s, nil, false
	}
	var effects []effect
	if u.since.IsZero() {
		u.since, u.pause = at, 0
		effects = append(effects, tellSession{spoolUnread{s.record.Run, err}})
	}
	u.pause = min(max(2*u.pause, unreadLeast), unreadMost)
	u.waits, s.more = true, true
	return s, append(effects, wakeAfter{u.pause, readAgain{}}), true
}

// readable ends that.
func (s runState) readable(effects []effect) (runState, []effect) {
	if s.unread.since.IsZero() {
		return s, effects
	}
	s.unread = unread{}
	return s, append(effects, tellSession{spoolUnread{run: s.record.Run}})
}

// spoolUnread tells people that what the agent says comes late.
func (t *transition) spoolUnread(m spoolUnread) {
	if m.run != t.s.record.Run || !t.s.active() {
		return
	}
	t.activity() // it says nothing because we do not hear it
	t.s.agent.outputUnreadable = m.err != nil
	if m.err != nil {
		t.notice("OUTPUT_UNREADABLE", "What the agent says cannot be read from the disk at the moment; it is tried again, and nothing is lost",
			map[string]string{"reason": m.err.Error()})
		return
	}
	t.notice("OUTPUT_READABLE", "What the agent says can be read again", nil)
}
