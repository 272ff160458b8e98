package run

import (
	"time"

	"betcode/actors/internal/act"
)

// An agent that writes without pause would occupy a core of the daemon and one of its
// client. So a run with a backlog in its spool pauses before it reads on. That limits one
// agent to 8 MB, some 27 000 lines, per second, and never delays an agent that writes tens
// of lines per second.
//
// A long line is not split by pauses: it is read as a whole.

// readRest is the length of a pause.
const readRest = 4 * time.Millisecond

// restOver is sent when a pause has ended.
type restOver struct{}

// restAfter begins a pause if the spool has more than was read.
func (s state) restAfter(more bool, effects []act.Effect) (state, []act.Effect) {
	if !more {
		return s, effects
	}
	s.rests = true
	return s, append(effects, act.After{Delay: readRest, Message: restOver{}})
}
