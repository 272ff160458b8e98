package session

import (
	"cmp"
	"slices"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/control"
	"betcode/actors/run"
	"betcode/messages"
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

// agentRules returns which rules the running agent has.
func (s *state) agentRules() messages.AgentRules {
	a := messages.AgentRules{Mode: cmp.Or(s.record.PermissionMode, claude.DefaultMode)}
	if !s.agent.up || s.run == nil {
		next := s.rulesAtStart()
		a.Ask, a.Deny = next.Ask, next.Deny
		return a
	}
	a.Running = true
	if a.Mode == claude.BypassMode && claude.ModeOf(s.run.Argv) != claude.BypassMode { // see enterMode
		a.Mode, a.NextMode = cmp.Or(claude.ModeOf(s.run.Argv), claude.DefaultMode), claude.BypassMode
	}
	given := claude.RulesOf(s.run.Argv)
	a.Ask, a.Deny = slices.Concat(given.Ask, s.agent.handover.has.Ask), slices.Concat(given.Deny, s.agent.handover.has.Deny)
	a.Missing = s.rulesLacking()
	return a
}
