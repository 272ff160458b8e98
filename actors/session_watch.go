package actors

import (
	"time"

	"betcode/messages"
)

// The watchdog of a turn. While a turn runs an agent is never silent for long: a
// running tool is heard every 30 s, a wait before another try is announced, and
// the agent itself gives up a silent API after 6 minutes. One that says nothing
// for longer, and waits for nobody, hangs: it is interrupted, then ended and
// resumed.
//
// Silence is measured by the monotonic clock, which stands still while the
// machine sleeps and does not jump when the clock is set.

// interruptSilence is how long an agent that was interrupted for its silence may
// go on saying nothing.
const interruptSilence = 30 * time.Second

// silenceDue is the session's own word for the moment when the silence has to be
// looked at.
type silenceDue struct{ run messages.RunNumber }

// watchTurn begins to watch the turn that runs, unless that is done already.
func (t *transition) watchTurn() {
	if !t.s.watched && t.s.record.Turn && t.s.up {
		t.s.watched, t.s.heard = true, t.now.at
		t.then(wakeAfter{t.s.options.silence, silenceDue{t.s.record.Run}})
	}
}

// silenceLate looks at the silence of the agent that was watched.
func (t *transition) silenceLate(m silenceDue) {
	if m.run != t.s.record.Run || !t.s.up || !t.s.watched {
		return
	}
	if !t.s.record.Turn {
		t.s.watched = false
		return
	}
	silent, patience := t.now.at.Sub(t.s.heard), t.s.options.silence
	if t.s.warned {
		patience = interruptSilence
	}
	if t.s.undecided() || t.s.holds != 0 {
		silent = 0
	}
	if silent < patience {
		t.then(wakeAfter{max(patience-silent, time.Second), silenceDue{m.run}})
		return
	}
	if !t.s.warned {
		t.s.warned, t.s.heard = true, t.now.at
		t.notice("AGENT_SILENT", "The agent has said nothing for "+humanDuration(silent)+" in the middle of a turn; it is interrupted", nil)
		t.interrupt()
		t.then(wakeAfter{interruptSilence, silenceDue{m.run}})
		return
	}
	t.notice("AGENT_HANGS", "The agent does not react; it is ended and started again", nil)
	t.s.mending, t.s.hung, t.s.watched = true, true, false
	t.tellAgent(stopAgent{stopResumable})
}

// hear notes that the agent has said something.
func (t *transition) hear() {
	t.s.heard, t.s.warned = t.now.at, false
}
