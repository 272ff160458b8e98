package session

import (
	"cmp"
	"slices"

	"betcode/actors/internal/claude"
	"betcode/messages"
)

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
