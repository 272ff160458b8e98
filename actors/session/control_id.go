package session

import (
	"slices"

	"betcode/actors/internal/control"
)

// Ids of control requests prove that the daemon sent them. Any process that an agent starts may write into the agent's FIFO, so an
// answer of the agent alone proves nothing. Each id ends in a signature made with a key of the run that the agent never gets, and
// each counts once: answered ids are journaled with the offset behind their answers. So a rebuilt session, or a daemon that adopts
// the agent, checks them like the one before.

// maxControlsAnswered bounds the signatures that a run remembers. A replay of an older
// one is not recognised.
const maxControlsAnswered = 512

// asked reports whether an answer belongs to a control request of this session that was not answered before, and notes the answer.
// Runs of older daemons are not checked.
func (t *transition) asked(request string) bool {
	if t.s.run == nil || t.s.run.ControlKey == "" {
		return true
	}
	sign, ours := control.SignatureOf(t.s.run.ControlKey, request)
	if !ours || slices.Contains(t.s.run.ControlsAnswered, sign) {
		return false
	}
	run := *t.s.run
	run.ControlsAnswered = append(slices.Clone(run.ControlsAnswered), sign)
	run.ControlsAnswered = run.ControlsAnswered[max(0, len(run.ControlsAnswered)-maxControlsAnswered):]
	t.putRun(run)
	return true
}

// repeats reports whether an answer that [transition.asked] refuses is the second answer of an old agent to the same request. The
// codec drops such answers from the first turn on, when the agent has reported its version. Before that, only the version of the
// program is known.
func (t *transition) repeats(request string) bool {
	if t.s.run == nil || t.s.can().SingleAnswers {
		return false
	}
	_, ours := control.SignatureOf(t.s.run.ControlKey, request)
	return ours
}
