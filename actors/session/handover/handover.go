package handover

import (
	"cmp"
	"slices"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/rules"
	"betcode/messages"
)

// maxLine bounds the line of a control request with rules: a longer one could be torn.
const maxLine = 4096

// Agent is what the running agent has been handed besides its command line. The zero value is: nothing.
type Agent struct {
	Request string                // a control request that the agent has not answered yet; empty: there is none
	Asked   claude.DelegatedRules // with it
	Has     claude.DelegatedRules // what the agent has confirmed
	Refused bool                  // the agent cannot be told
	Old     bool                  // its command line is not what it would be now: it is replaced when it rests
}

// Facts is what holds at present for a session and its agent.
type Facts struct {
	Start     claude.DelegatedRules // on the command line of an agent that is started now
	Directory *rules.Set            // rules of the session's directory; nil = they were not read
	Argv      []string              // of the agent that runs
	Mode      string                // the session's permission mode; empty = the default
	LiveRules bool                  // the agent's version knows the control request
}

// AtStart returns the rules that an agent's command line has: the built-in list, the user's, and the tools that the session denies.
// It leaves out what no command line can carry; the daemon still denies it.
func AtStart(protected []string, set *rules.Set, denied []string) claude.DelegatedRules {
	deny := slices.DeleteFunc(set.ForAgent(rules.Deny), func(text string) bool {
		_, err := messages.Argument(text)
		return err != nil
	})
	return claude.DelegatedRules{Ask: append(protected, set.ForAgent(rules.Ask)...), Deny: append(deny, denied...)}
}

// Missing returns the rules that hold for the running agent and are not on its command line.
func (f Facts) Missing() claude.DelegatedRules {
	given := claude.RulesOf(f.Argv)
	return claude.DelegatedRules{
		Ask:  rules.Lacking(slices.Concat(f.Start.Ask, f.Directory.ForAgent(rules.Ask)), given.Ask),
		Deny: rules.Lacking(slices.Concat(f.Start.Deny, f.Directory.ForAgent(rules.Deny)), given.Deny),
	}
}

// bypassLater reports whether the session's mode is one that the running agent can enter at its next start only.
func (f Facts) bypassLater() bool {
	return f.Mode == claude.BypassMode && claude.ModeOf(f.Argv) != claude.BypassMode
}

// outdated reports whether an agent that was started now would have another command line.
func (a *Agent) outdated(f Facts) bool {
	given := claude.RulesOf(f.Argv)
	return len(rules.Lacking(given.Ask, f.Start.Ask))+len(rules.Lacking(given.Deny, f.Start.Deny)) > 0 || f.bypassLater() ||
		a.Refused && len(rules.Lacking(f.Start.Ask, given.Ask))+len(rules.Lacking(f.Start.Deny, given.Deny)) > 0
}

// Give returns the line that gives the agent the rules that it lacks; nil if there is nothing to send now. id makes the id of
// the control request.
func (a *Agent) Give(f Facts, id func() string) []byte {
	if !f.LiveRules {
		a.Request, a.Refused = "", true // the agent would never answer
	}
	a.Old = a.outdated(f)
	if a.Request != "" || a.Refused {
		return nil
	}
	missing := f.Missing()
	if slices.Equal(missing.Ask, a.Has.Ask) && slices.Equal(missing.Deny, a.Has.Deny) {
		return nil
	}
	request := id()
	line := claude.ApplyRulesLine(request, missing)
	if len(line) > maxLine {
		a.Refused, a.Old = true, true
		return nil
	}
	a.Request, a.Asked = request, missing
	return line
}

// Answered takes the agent's answer. What has changed since is to be given then.
func (a *Agent) Answered(f Facts, ok bool) {
	a.Request = ""
	if ok {
		a.Has = a.Asked
		return
	}
	a.Refused = true
	a.Old = a.outdated(f) // which depends on it
}

// Awaits reports whether a control request is the one that the agent has not answered yet.
func (a *Agent) Awaits(request string) bool { return request != "" && request == a.Request }

// Replaced reports whether the agent is to be replaced when it rests.
func (a *Agent) Replaced() bool { return a.Old && a.Request == "" }

// Lacking returns the rules that hold and that the running agent has not confirmed, as people read them: "ask Read(x)".
func (a *Agent) Lacking(f Facts) []string {
	var all []string
	missing := f.Missing()
	for _, text := range rules.Lacking(missing.Ask, a.Has.Ask) {
		all = append(all, "ask "+text)
	}
	for _, text := range rules.Lacking(missing.Deny, a.Has.Deny) {
		all = append(all, "deny "+text)
	}
	return all
}

// View returns which rules the running agent has.
func (a *Agent) View(f Facts) messages.AgentRules {
	v := messages.AgentRules{Running: true, Mode: cmp.Or(f.Mode, claude.DefaultMode)}
	if f.bypassLater() {
		v.Mode, v.NextMode = cmp.Or(claude.ModeOf(f.Argv), claude.DefaultMode), claude.BypassMode
	}
	given := claude.RulesOf(f.Argv)
	v.Ask, v.Deny = slices.Concat(given.Ask, a.Has.Ask), slices.Concat(given.Deny, a.Has.Deny)
	v.Missing = a.Lacking(f)
	return v
}
