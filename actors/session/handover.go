package session

import (
	"cmp"
	"strings"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/rules"
	"betcode/actors/internal/texts"
	"betcode/actors/run"
	"betcode/actors/session/handover"
	"betcode/actors/settings"
	"betcode/messages"
)

// The running agent gets the daemon's rules (package handover). The session knows which of them the agent has confirmed; the
// explanation of a decision lists those that it lacks.

// rulesAtStart are the rules that an agent's command line has.
func (s *state) rulesAtStart() claude.HandedRules {
	return handover.AtStart(s.options.Protected.Rules(s.record.WorkingDirectory), s.options.Rules, s.record.DeniedTools)
}

// rulesFacts is what holds for the running agent.
func (s *state) rulesFacts() handover.Facts {
	return handover.Facts{
		Start: s.rulesAtStart(), Directory: s.agent.directory, Argv: s.run.Argv, Mode: s.record.PermissionMode, LiveRules: s.can().LiveRules,
	}
}

// giveRules gives the running agent the rules that it lacks.
func (t *transition) giveRules() {
	if !t.s.agent.up || t.s.run == nil || t.s.ending.shutdown {
		return
	}
	if line := t.s.agent.handover.Give(t.s.rulesFacts(), func() string { return t.control("rules") }); line != nil {
		t.sendToAgent(run.WriteControl{Line: line})
	}
}

// handedOver takes the agent's answer, and gives it what has changed since.
func (t *transition) handedOver(ok bool) {
	t.s.agent.handover.Answered(t.s.rulesFacts(), ok)
	if ok {
		t.giveRules()
	}
}

// settingsChanged takes the present settings for what is decided from now on.
func (t *transition) settingsChanged(m settings.Changed) {
	t.s.options.Settings = m.Now
	if m.Rules != nil {
		t.rulesChanged(*m.Rules)
	}
}

// rulesChanged gives changed rules to the agent, and announces to the clients where they allow more than before.
func (t *transition) rulesChanged(m settings.RulesChanged) {
	if !t.s.exists || !t.s.active() || t.s.proxied() {
		return
	}
	if len(m.Widened) > 0 {
		t.notice("RULES_WIDENED", "The permission rules have changed while the agent runs, and allow more than before: "+texts.Shorten(strings.Join(m.Widened, "; "), maxShown),
			map[string]string{"source": m.Source, "changes": texts.Shorten(strings.Join(m.Widened, "\n"), maxWidened)})
	}
	t.giveRules()
}

// maxWidened bounds how much of a change is announced, in bytes.
const maxWidened = 4096

// replaceOutdated ends an agent that rests and was started with rules that no longer hold: the
// next message starts it with the present ones. It ends every step.
func (t *transition) replaceOutdated() {
	if t.s.agent.handover.Replaced() && !t.s.ending.shutdown && !t.s.replacing() {
		t.park()
	}
}

// lookForRules has the rules of the session's directory read, which the agent may not read itself.
func (t *transition) lookForRules() {
	if t.s.options.OwnRules && t.s.agent.directory == nil {
		t.then(lookAround{call: rules.Call{Place: rules.Place{Directory: t.s.record.WorkingDirectory, Home: t.s.options.Home}}})
	}
	t.giveRules()
}

// agentRules returns which rules the running agent has, or the next one will have.
func (s *state) agentRules() messages.AgentRules {
	if !s.agent.up || s.run == nil {
		next := s.rulesAtStart()
		return messages.AgentRules{Mode: cmp.Or(s.record.PermissionMode, claude.DefaultMode), Ask: next.Ask, Deny: next.Deny}
	}
	return s.agent.handover.View(s.rulesFacts())
}
