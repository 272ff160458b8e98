// Package watchdog judges the silence of an agent that has work.
//
// During a turn an agent is never silent for long: a running tool reports every 30 s, a wait before a retry is announced
// with its length, and the agent itself gives up a silent API after 6 minutes. A message begins a turn or is acknowledged
// at once. An agent that is silent for longer, and waits for no answer, hangs: its turn is interrupted; if that changes
// nothing, or there is no turn, the agent is ended and resumed. Background work between turns may be silent.
//
// Times are read from the monotonic clock, which stops while the machine sleeps and ignores changes of the clock.
package watchdog

import "time"

const (
	// ReactionTime is how long an agent that was interrupted for its silence may stay silent.
	ReactionTime = 30 * time.Second
	// MaxAnnounced bounds a wait that the agent announces.
	MaxAnnounced = time.Hour
)

// Watchdog is the state of one run's watchdog. The zero value does not watch.
type Watchdog struct {
	watching     bool      // a timer is set
	interrupted  bool      // the turn was interrupted for its silence
	lastActivity time.Time // the last sign of life, or the end of an announced wait
}

// Watching reports whether a timer is set.
func (w *Watchdog) Watching() bool { return w.watching }

// Interrupted reports whether the turn was interrupted for its silence and nothing came since.
func (w *Watchdog) Interrupted() bool { return w.interrupted }

// Start begins to watch and reports whether it did; the caller sets a timer then.
func (w *Watchdog) Start(now time.Time) bool {
	if w.watching {
		return false
	}
	w.watching, w.lastActivity = true, now
	return true
}

// Stop ends watching. A timer that is set is ignored.
func (w *Watchdog) Stop() { w.watching, w.interrupted = false, false }

// Activity is a sign of life.
func (w *Watchdog) Activity(now time.Time) {
	if now.After(w.lastActivity) {
		w.lastActivity = now
	}
	w.interrupted = false
}

// Acknowledged is the agent's answer to a control request. It is no reaction to an interrupt: the turn has to end.
func (w *Watchdog) Acknowledged(now time.Time) {
	if !w.interrupted {
		w.Activity(now)
	}
}

// Announced is a wait that the agent announces, at most [MaxAnnounced] of it.
func (w *Watchdog) Announced(now time.Time, wait time.Duration) {
	w.lastActivity, w.interrupted = now.Add(min(wait, MaxAnnounced)), false
}

// Situation is what the session knows when the timer is due.
type Situation struct {
	Busy    bool          // the agent has work and is not being ended
	Excused bool          // it is silent because of us: a person decides, it is frozen, or its output cannot be read
	Turn    bool          // a turn runs that can be interrupted
	Limit   time.Duration // permitted silence
}

// Action says what to do about an agent.
type Action int

// Actions.
const (
	None      Action = iota // watching has ended
	Wait                    // look again after Verdict.After
	Interrupt               // interrupt the turn, look again after Verdict.After
	Replace                 // end the agent and resume it; watching has ended
)

// Verdict is the result of one look.
type Verdict struct {
	Action Action
	After  time.Duration // until the next look
	Silent time.Duration // how long the agent has been silent
}

// Look judges the silence when the timer is due.
func (w *Watchdog) Look(now time.Time, s Situation) Verdict {
	if !w.watching {
		return Verdict{}
	}
	if !s.Busy {
		w.watching = false
		return Verdict{}
	}
	if s.Excused {
		w.lastActivity = now
	}
	v := Verdict{Silent: now.Sub(w.lastActivity)}
	limit := s.Limit
	if w.interrupted {
		limit = ReactionTime
	}
	switch {
	case v.Silent < limit:
		v.Action, v.After = Wait, max(limit-v.Silent, time.Second)
	case !w.interrupted && s.Turn:
		w.interrupted, w.lastActivity = true, now
		v.Action, v.After = Interrupt, ReactionTime
	default:
		w.watching = false
		v.Action = Replace
	}
	return v
}
