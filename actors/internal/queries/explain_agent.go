package queries

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/rules"
	"betcode/actors/internal/ruleset"
	"betcode/actors/settings"
	"betcode/messages"
	"betcode/messages/claudecode"
	"betcode/messages/regular"
)

// rulesLater returns the note for an agent whose version accepts rules only at its start.
func rulesLater(view messages.SessionView) string {
	version := view.Record.AgentVersion
	if len(view.Agent.Missing) == 0 || claudecode.Of(version).LiveRules {
		return ""
	}
	return "Claude Code " + version + " takes rules only when it is started: the agent is replaced after its turn, and the next one has them"
}

// maxSettingsFile bounds the settings file of an agent, in bytes.
const maxSettingsFile = 32 << 20

// agentsOwnRules returns the rules that an agent reads itself: those of its user, the
// session's allowed tools, and those of a directory that it obeys.
func (q *Queries) agentsOwnRules(view messages.SessionView, directory *rules.Set) *rules.Set {
	list := rulesOf("the session's allowed tools", messages.RuleLists{Allow: view.Record.AllowedTools})
	var environment map[string]string
	if view.Run != nil {
		environment = view.Run.Environment
	}
	file := filepath.Join(claude.Home(q.deps.Environment(environment)), "settings.json")
	var settings struct {
		Permissions messages.RuleLists `json:"permissions"`
	}
	if raw, err := regular.Read(file, maxSettingsFile); err == nil && json.Unmarshal(raw, &settings) == nil {
		list = append(list, rulesOf(file, settings.Permissions)...)
	}
	set, _ := rules.New(list...) // the agent reports rules that cannot be read
	if view.Guard.Mode == messages.GuardOff {
		return set.With(directory)
	}
	return set
}

func rulesOf(source string, l messages.RuleLists) []rules.Rule {
	return ruleset.Of(settings.Rules{Allow: l.Allow, Ask: l.Ask, Deny: l.Deny, Source: source})
}

// explainAgent returns the agent's own decision about a call before it asks the daemon, derived
// from its mode and its rules.
func explainAgent(view messages.SessionView, call rules.Call, own *rules.Set) messages.AgentExplained {
	a := view.Agent
	e := messages.AgentExplained{AgentRules: a, Effect: rules.Ask.String()}
	set, _ := rules.New(rulesOf("handed over", messages.RuleLists{Ask: a.Ask, Deny: a.Deny})...)
	handed, mine := set.Decide(call), own.Decide(call)
	here := inside(call)
	say := func(effect rules.Effect, why string) messages.AgentExplained {
		e.Effect, e.Why = effect.String(), why
		return e
	}
	switch {
	case handed.Effect == rules.Deny:
		return say(rules.Deny, "it was handed "+handed.Rules[0].Effect.String()+" "+handed.Rules[0].Text)
	case mine.Effect == rules.Deny:
		return say(rules.Deny, "its own rule forbids it: "+mine.Rules[0].String())
	case handed.Effect == rules.Ask:
		return say(rules.Ask, "it was handed "+ruleText(handed, "an ask rule"))
	case mine.Effect == rules.Ask:
		return say(rules.Ask, "its own rule has it ask: "+ruleText(mine, "an ask rule"))
	case a.Mode == claude.BypassMode:
		return say(rules.Allow, "it asks about nothing in its mode "+claude.BypassMode+" but what rules have it ask about")
	case mine.Effect == rules.Allow:
		return say(rules.Allow, "its own rule allows it: "+ruleText(mine, "an allow rule"))
	case a.Mode == "acceptEdits" && rules.Writes(call.Tool) && here:
		return say(rules.Allow, "it changes files of its directory in its mode acceptEdits")
	case rules.Reads(call.Tool) && here:
		return say(rules.Allow, "it reads files of its directory")
	case a.Mode == "dontAsk":
		return say(rules.Deny, "it refuses what no rule allows in its mode dontAsk")
	case a.Mode == "plan" && rules.Writes(call.Tool):
		return say(rules.Ask, "it changes nothing in its mode plan unless a person allows it")
	case call.Tool == "Bash":
		return say(rules.Ask, "it asks, unless it takes the command for one that only reads")
	}
	return say(rules.Ask, "neither its mode nor its own rules decide")
}

func ruleText(v rules.Verdict, otherwise string) string {
	if len(v.Rules) == 0 {
		return otherwise
	}
	return v.Rules[0].String()
}

// inside reports whether a call names no file outside of its directory, as it is spelled.
func inside(call rules.Call) bool {
	var input struct {
		File     string `json:"file_path"`
		Notebook string `json:"notebook_path"`
		Path     string `json:"path"`
	}
	if json.Unmarshal(call.Input, &input) != nil {
		return false
	}
	file := cmp.Or(input.File, input.Notebook, input.Path)
	if file == "" {
		return true
	}
	if !path.IsAbs(file) {
		file = path.Join(call.Place.Directory, file)
	}
	return strings.HasPrefix(path.Clean(file)+"/", fmt.Sprintf("%s/", path.Clean(call.Place.Directory)))
}
