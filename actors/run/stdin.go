package run

import (
	"time"

	"betcode/actors/internal/act"
	"betcode/messages"
)

// A line cannot be written when the agent has ended, or when it lives and has closed its stdin or read half a line. A living
// agent then receives nothing any more, not even an interrupt: the session ends it, resumes it, and writes again the lines that
// it has not read.
//
// An agent that closes its stdin never reads the bytes that are in the pipe, so the run acts at once and does not wait for the
// next line, which may not come. The next run has a pipe of its own, and the transcript has the messages that the agent has
// taken; so each arrives once. An agent that has read everything is left alone: it may be about to exit.

// exitGrace is the time that such an agent has to exit.
const exitGrace = 2 * time.Second

// StdinClosed reports to the session that the agent lives and has closed its stdin.
type StdinClosed struct{ Run messages.RunNumber }

type (
	// inputClosed reports that no process has the agent's stdin open, with the number of bytes in the pipe.
	inputClosed struct{ unread int }
	// stdinDue is sent when the grace has elapsed.
	stdinDue struct{}
)

// awaitExit gives an agent that took no line time to exit.
func (s state) awaitExit() (state, []act.Effect) {
	if s.phase != phaseLive || s.stopping || s.doubted {
		return s, nil
	}
	s.doubted = true
	return s, []act.Effect{act.After{Delay: exitGrace, Message: stdinDue{}}}
}

// closed calls awaitExit if the pipe has bytes that the agent has not read.
func (s state) closed(m inputClosed) (state, []act.Effect) {
	if m.unread == 0 {
		return s, nil
	}
	return s.awaitExit()
}

// stdinClosed reports an agent that has not exited within the grace.
func (s state) stdinClosed() (state, []act.Effect) {
	if s.phase != phaseLive || s.stopping {
		return s, nil
	}
	return s, []act.Effect{toSession{StdinClosed{s.record.Run}}}
}
