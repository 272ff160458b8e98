package actors

import (
	"time"

	"betcode/actors/internal/claude"
	"betcode/messages"
)

// The watchdog of an agent that has work. While a turn runs an agent is never silent
// for long: a running tool is heard every 30 s, a wait before another try is announced
// with its length, and the agent itself gives up a silent API after 6 minutes. A
// message that it was given begins a turn, or is acknowledged, at once. One that says
// nothing for longer, and waits for nobody, hangs: its turn is interrupted; if that
// changes nothing, or there is no turn to be interrupted, it is ended and resumed. Work
// in the background, between turns, may be as silent as it likes.
//
// Silence is measured by the monotonic clock, which stands still while the
// machine sleeps and does not jump when the clock is set.

// interruptSilence is how long an agent that was interrupted for its silence may
// go on saying nothing.
const interruptSilence = 30 * time.Second

// silenceDue is the session's own word for the moment when the silence has to be
// looked at.
type silenceDue struct{ run messages.RunNumber }

// maxAnnounced bounds the wait that an agent may announce.
const maxAnnounced = time.Hour

// watchTurn begins to watch an agent that has work, unless that is done already.
func (t *transition) watchTurn() {
	if !t.s.watched && t.s.busy() && t.s.up {
		t.s.watched, t.s.heard = true, t.now.at
		t.then(wakeAfter{t.s.options.silence, silenceDue{t.s.record.Run}})
	}
}

// silenceLate looks at the silence of the agent that was watched.
func (t *transition) silenceLate(m silenceDue) {
	if m.run != t.s.record.Run || !t.s.up || !t.s.watched {
		return
	}
	if !t.s.busy() || t.s.mending {
		t.s.watched = false
		return
	}
	if t.s.undecided() || t.s.holds != 0 || t.s.unheard {
		t.s.heard = t.now.at // it says nothing because of us
	}
	silent, patience := t.now.at.Sub(t.s.heard), t.s.options.silence
	if t.s.warned {
		patience = interruptSilence
	}
	switch {
	case silent < patience:
		t.then(wakeAfter{max(patience-silent, time.Second), silenceDue{m.run}})
	case !t.s.warned && t.s.working && t.s.record.Turn:
		t.s.warned, t.s.heard = true, t.now.at
		t.notice("AGENT_SILENT", "The agent has said nothing for "+humanDuration(silent)+" in the middle of a turn; it is interrupted", nil)
		t.interrupt()
		t.then(wakeAfter{interruptSilence, silenceDue{m.run}})
	default:
		t.notice("AGENT_HANGS", "The agent does not react; it is ended and started again", nil)
		t.s.mending, t.s.hung, t.s.watched = true, true, false
		t.tellAgent(stopAgent{stopResumable})
	}
}

// hear notes what the agent has said. That it has got our interrupt does not mean
// that it heeds it.
func (t *transition) hear(items ...claude.Item) {
	t.s.spoke = t.now.at
	for _, item := range items {
		switch m := item.(type) {
		case claude.ControlAnswered:
			if t.s.warned {
				continue
			}
		case claude.RetryWait: // and will say nothing for so long
			t.s.heard, t.s.warned = t.now.at.Add(min(m.Delay, maxAnnounced)), false
			continue
		}
		if t.now.at.After(t.s.heard) {
			t.s.heard = t.now.at
		}
		t.s.warned = false
	}
	if len(items) == 0 { // a line that means nothing to us is a sign of life
		t.s.heard, t.s.warned = t.now.at, false
	}
}
