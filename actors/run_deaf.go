package actors

import (
	"time"

	"betcode/messages"
)

// A line cannot be written when the agent has ended, which is told soon, or when it
// lives and has closed its input, or got half a line: then nothing that is said to it
// arrives any more, not even an interrupt. It is ended and resumed, and gets again
// what it did not take.
//
// What is in the pipe when the agent closes its input is known to be unread, and is
// never going to be read: so it is not waited for the next line, which may not come.
// The next incarnation has a pipe of its own, and its memory, the transcript, says
// what it has of the messages that were not acknowledged; so each arrives once. An
// agent that has read everything is left alone: it may have closed its input because
// it wants to go.

// deafGrace is how long it is waited whether the agent has ended.
const deafGrace = 2 * time.Second

// inputClosed is what the world tells a run: nobody has the agent's input open any
// more, with so many bytes in it. deafDue is the run's own word for the end of the
// grace. agentDeaf tells the session that the agent lives and cannot be told anything.
type (
	inputClosed struct{ unread int }
	deafDue     struct{}
	agentDeaf   struct{ run messages.RunNumber }
)

// doubt begins to wait whether an agent that took no line has ended.
func (s runState) doubt(effects []effect) (runState, []effect) {
	if s.phase != runLive || s.stopping || s.doubted {
		return s, effects
	}
	s.doubted = true
	return s, append(effects, wakeAfter{deafGrace, deafDue{}})
}

// closed begins to wait as well, if there is something that the agent has not read.
func (s runState) closed(m inputClosed) (runState, []effect) {
	if m.unread == 0 {
		return s, nil
	}
	return s.doubt(nil)
}

func (s runState) deaf() (runState, []effect) {
	if s.phase != runLive || s.stopping {
		return s, nil
	}
	return s, []effect{tellSession{agentDeaf{s.record.Run}}}
}

// agentDeaf has an agent replaced that cannot be told anything.
func (t *transition) agentDeaf(m agentDeaf) {
	if m.run != t.s.record.Run || !t.s.agent.up || t.s.replacing() || t.s.record.StopWanted {
		return
	}
	t.notice("AGENT_DEAF", "The agent closed its input; restarting it", nil)
	t.s.agent.hung = true
	t.replaceAgent(endReplace, stopResumable)
}
