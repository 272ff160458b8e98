package session

import (
	"betcode/actors/internal/claude"
	"betcode/actors/run"
	"betcode/messages"
)

// A permission mode is granted by a client. An agent that is started without one, after a crash or a reboot, begins in the default
// mode.

// skipsAsking lists the modes in which the agent does not ask before it acts.
var skipsAsking = map[string]bool{"acceptEdits": true, "auto": true, "bypassPermissions": true}

// modeWish is a mode that the agent was asked to work in, and has not answered about.
type modeWish struct {
	run     messages.RunNumber
	request string // the control request, the newest; empty: there is none
	before  string // the mode before the first of them
}

// askMode asks the agent to work in another mode.
func (t *transition) askMode(before, mode string) {
	if t.s.agent.modeWish.request != "" && t.s.agent.modeWish.run == t.s.record.Run {
		before = t.s.agent.modeWish.before
	}
	t.s.agent.modeWish = modeWish{t.s.record.Run, t.control("set-mode"), before}
	t.sendToAgent(run.WriteControl{Line: claude.SetModeLine(t.s.agent.modeWish.request, mode)})
}

// modeAnswered takes a mode back that the agent has refused: the next one would be
// started in it.
func (t *transition) modeAnswered(ok bool) {
	if !ok {
		t.change().PermissionMode = t.s.agent.modeWish.before
	}
	t.s.agent.modeWish = modeWish{}
}
