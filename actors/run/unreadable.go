package run

import (
	"time"

	"betcode/actors/internal/act"
	"betcode/messages"
)

// A disk may fail to read for a while (EIO). The output of the agent is most likely still there, so the run reads it again,
// with backoff, for as long as the process lives: the agent works on, until its quota freezes it. When the process has ended the
// run gives up when a person stops the session, or after ten minutes. Then it reports the output as damaged to the session.

// The backoff of reading again, and how long the run retries after the process has ended.
const (
	rereadLeast    = time.Second
	rereadMost     = 30 * time.Second
	rereadPatience = 10 * time.Minute
)

// outputUnreadable tracks a spool that cannot be read.
type outputUnreadable struct {
	since time.Time // zero = it can be read
	pause time.Duration
	waits bool // for the next attempt
}

// OutputUnreadable reports to the session that the spool cannot be read, or can be read again.
type OutputUnreadable struct {
	Run messages.RunNumber
	Err error // nil = it can be read
}

// readAgain is sent when the next attempt is due.
type readAgain struct{}

// unreadable handles a failed read. It reports whether the spool will be read again.
func (s state) unreadable(at time.Time, err error) (state, []act.Effect, bool) {
	u := &s.outputUnreadable
	if messages.KindOf(err) != messages.Unavailable ||
		s.phase == phaseDraining && (s.stopping && s.how == StopOrderly || !u.since.IsZero() && at.Sub(u.since) > rereadPatience) {
		return s, nil, false
	}
	var effects []act.Effect
	if u.since.IsZero() {
		u.since, u.pause = at, 0
		effects = append(effects, toSession{OutputUnreadable{s.record.Run, err}})
	}
	u.pause = min(max(2*u.pause, rereadLeast), rereadMost)
	u.waits, s.more = true, true
	return s, append(effects, act.After{Delay: u.pause, Message: readAgain{}}), true
}

// readable ends the backoff after a read that succeeded.
func (s state) readable(effects []act.Effect) (state, []act.Effect) {
	if s.outputUnreadable.since.IsZero() {
		return s, effects
	}
	s.outputUnreadable = outputUnreadable{}
	return s, append(effects, toSession{OutputUnreadable{Run: s.record.Run}})
}
