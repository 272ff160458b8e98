package session

import (
	"slices"

	"betcode/actors/internal/control"
)

// Ids of control requests prove that they are ours. Whatever an agent has started may
// write into its FIFO, so an answer of the agent shows only that somebody has asked. Each
// id ends in a signature made with a key of the run that the agent never gets, and each
// counts once: the answered ones are journaled with the offset behind their answers. So
// a session that is rebuilt, or a daemon that adopts the agent, knows as much as the one
// before.

// maxControlsAnswered bounds the signatures that a run remembers. A replay of an older
// one is not recognised.
const maxControlsAnswered = 512

// asked reports whether an answer belongs to a control request of ours that was not
// answered before, and notes that it is now. Runs of older daemons are not checked.
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

// repeats reports whether an answer that [transition.asked] does not know is the second
// one that an old agent gives to the same request. The codec drops such answers from the
// first turn on, when the agent has said its version; before, only the version of the
// program is known.
func (t *transition) repeats(request string) bool {
	if t.s.run == nil || t.s.can().SingleAnswers {
		return false
	}
	_, ours := control.SignatureOf(t.s.run.ControlKey, request)
	return ours
}
