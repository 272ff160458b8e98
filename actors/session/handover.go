package session

import (
	"cmp"
	"slices"
	"strings"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/rules"
	"betcode/actors/internal/texts"
	"betcode/actors/run"
	"betcode/actors/settings"
	"betcode/messages"
)

// The agent decides many calls by itself: those that its mode or its own rules allow, and those that only read. So it gets the
// daemon's ask and deny rules and the built-in list:
//
// 	at its start       on its command line, with the user's rules and the list
// 	when rules change  by a control request, which adds to the command line
// 	when it is idle    it is replaced, if its command line has rules that no longer hold, or
// 	                   the request was refused or is too long, or its version does not know the request
//
// The session knows which rules the agent has confirmed; the explanation of a decision lists those that it lacks.

// maxHandedLine bounds the line of a control request with rules: a longer one could be inputTorn.
const maxHandedLine = 4096

// handover is what the running agent has been handed besides its command line. The zero
// value is: nothing.
type handover struct {
	request string             // a control request that the agent has not answered yet; empty: there is none
	asked   claude.HandedRules // with it
	has     claude.HandedRules // what the agent has confirmed
	refused bool               // the agent cannot be told
	old     bool               // its command line is not what it would be now: it is replaced when it rests
}

// rulesAtStart are the rules that an agent's command line has.
func (s *state) rulesAtStart() claude.HandedRules {
	set := s.options.Rules
	return claude.HandedRules{
		Ask:  append(s.options.Protected.Rules(s.record.WorkingDirectory), set.ForAgent(rules.Ask)...),
		Deny: append(deniable(set.ForAgent(rules.Deny)), s.record.DeniedTools...),
	}
}

// deniable leaves out what no command line can carry; the daemon still denies it.
func deniable(list []string) []string {
	return slices.DeleteFunc(list, func(text string) bool {
		_, err := messages.Argument(text)
		return err != nil
	})
}

// missing are the rules that hold for the running agent and are not on its command line.
func (s *state) missing() claude.HandedRules {
	want, given := s.rulesAtStart(), claude.RulesOf(s.run.Argv)
	return claude.HandedRules{
		Ask:  rules.Lacking(append(want.Ask, s.agent.directory.ForAgent(rules.Ask)...), given.Ask),
		Deny: rules.Lacking(append(want.Deny, s.agent.directory.ForAgent(rules.Deny)...), given.Deny),
	}
}

// outdated reports whether an agent that was started now would have another command line.
func (s *state) outdated() bool {
	if s.run == nil {
		return false
	}
	want, given := s.rulesAtStart(), claude.RulesOf(s.run.Argv)
	return len(rules.Lacking(given.Ask, want.Ask))+len(rules.Lacking(given.Deny, want.Deny)) > 0 ||
		s.record.PermissionMode == claude.BypassMode && claude.ModeOf(s.run.Argv) != claude.BypassMode ||
		s.agent.handover.refused && len(rules.Lacking(want.Ask, given.Ask))+len(rules.Lacking(want.Deny, given.Deny)) > 0
}

// rulesLacking returns the rules that hold and that the running agent has not confirmed, as
// people read them: "ask Read(x)".
func (s *state) rulesLacking() []string {
	if !s.agent.up || s.run == nil {
		return nil
	}
	var all []string
	missing := s.missing()
	for _, text := range rules.Lacking(missing.Ask, s.agent.handover.has.Ask) {
		all = append(all, "ask "+text)
	}
	for _, text := range rules.Lacking(missing.Deny, s.agent.handover.has.Deny) {
		all = append(all, "deny "+text)
	}
	return all
}

// giveRules gives the running agent the rules that it lacks.
func (t *transition) giveRules() {
	if !t.s.agent.up || t.s.run == nil || t.s.ending.shutdown {
		return
	}
	if !t.s.can().LiveRules {
		t.s.agent.handover.request, t.s.agent.handover.refused = "", true // the agent would never answer
	}
	t.s.agent.handover.old = t.s.outdated()
	if t.s.agent.handover.request != "" || t.s.agent.handover.refused {
		return
	}
	missing := t.s.missing()
	if slices.Equal(missing.Ask, t.s.agent.handover.has.Ask) && slices.Equal(missing.Deny, t.s.agent.handover.has.Deny) {
		return
	}
	request := t.control("rules")
	line := claude.ApplyRulesLine(request, missing)
	if len(line) > maxHandedLine {
		t.s.agent.handover.refused, t.s.agent.handover.old = true, true
		return
	}
	t.s.agent.handover.request, t.s.agent.handover.asked = request, missing
	t.sendToAgent(run.WriteControl{Line: line})
}

// handedOver takes the agent's answer, and gives it what has changed since.
func (t *transition) handedOver(ok bool) {
	h := &t.s.agent.handover
	h.request = ""
	if !ok {
		h.refused = true
		h.old = t.s.outdated() // which depends on it
		return
	}
	h.has = h.asked
	t.giveRules()
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
	if t.s.agent.handover.old && !t.s.ending.shutdown && !t.s.replacing() && t.s.agent.handover.request == "" {
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
