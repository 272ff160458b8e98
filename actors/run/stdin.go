package run

import (
	"time"

	"betcode/actors/internal/act"
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

// exitGrace is how long it is waited whether the agent has ended.
const exitGrace = 2 * time.Second

// inputClosed is what the world tells a run: nobody has the agent's input open any
// more, with so many bytes in it. stdinDue is the run's own word for the end of the
// grace. StdinClosed tells the session that the agent lives and cannot be told anything.
type (
	inputClosed struct{ unread int }
	stdinDue    struct{}
	StdinClosed struct{ Run messages.RunNumber }
)

// awaitExit begins to wait whether an agent that took no line has ended.
func (s state) awaitExit(effects []act.Effect) (state, []act.Effect) {
	if s.phase != phaseLive || s.stopping || s.doubted {
		return s, effects
	}
	s.doubted = true
	return s, append(effects, act.After{Delay: exitGrace, Message: stdinDue{}})
}

// closed begins to wait as well, if there is something that the agent has not read.
func (s state) closed(m inputClosed) (state, []act.Effect) {
	if m.unread == 0 {
		return s, nil
	}
	return s.awaitExit(nil)
}

func (s state) stdinClosed() (state, []act.Effect) {
	if s.phase != phaseLive || s.stopping {
		return s, nil
	}
	return s, []act.Effect{tell{StdinClosed{s.record.Run}}}
}
