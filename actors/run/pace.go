package run

import (
	"time"

	"betcode/actors/internal/act"
)

// An agent that writes without pause would occupy a core of the daemon and one of its
// client. Therefore a run with a backlog in its spool pauses before it reads on. That
// limits one agent to 8 MB, some 27 000 lines, per second, and never delays an agent that
// writes tens of lines per second.
//
// A long line is not split by pauses: it is read as a whole.

// readPause is the length of a pause.
const readPause = 4 * time.Millisecond

// pauseOver is sent when a pause has ended.
type pauseOver struct{}

// pauseAfter begins a pause if the spool has more than was read.
func (s state) pauseAfter(more bool, effects []act.Effect) (state, []act.Effect) {
	if !more {
		return s, effects
	}
	s.pausing = true
	return s, append(effects, act.After{Delay: readPause, Message: pauseOver{}})
}
