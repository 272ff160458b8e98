package run

import (
	"time"

	"betcode/actors/internal/act"
)

// An agent that writes faster than anybody reads gets its share, and not a core of
// the daemon and another of its client: a run that left something in the spool rests
// before it reads on. That makes 8 MB a second, some 27 000 lines, of one agent, and
// nothing at all of the tens that an agent writes who keeps to any pace.
//
// What is long is not slow for it: a line is read as a whole, however long it is.

// readRest is how long it rests.
const readRest = 4 * time.Millisecond

// restOver is sent when a rest has ended.
type restOver struct{}

// restAfter begins a rest if the spool has more than what was read.
func (s state) restAfter(more bool, effects []act.Effect) (state, []act.Effect) {
	if !more {
		return s, effects
	}
	s.rests = true
	return s, append(effects, act.After{Delay: readRest, Message: restOver{}})
}
