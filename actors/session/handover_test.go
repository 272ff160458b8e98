package session

import (
	"slices"
	"strings"
	"testing"
	"time"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/rules"
	"betcode/actors/session/prompts"
	"betcode/actors/settings"
	"betcode/messages"
)

// change replaces the user's rules under a session and tells it.
func (b *bench) change(widened []string, list ...rules.Rule) {
	b.rules, _ = rules.New(list...)
	b.tell(settings.Changed{Now: b.state.options.Settings, Rules: &settings.RulesChanged{Source: "settings.json", Widened: widened}})
}

// lacking are the rules that the running agent has not confirmed.
func lacking(b *bench) []string {
	if !b.state.agent.up {
		return nil
	}
	return b.state.agent.handover.Lacking(b.state.rulesFacts())
}

func lastRules(t *testing.T, b *bench) string {
	t.Helper()
	if b.state.agent.handover.Request == "" {
		t.Fatal("the agent was told nothing")
	}
	return b.state.agent.handover.Request
}

func TestRulesReachTheRunningAgent(t *testing.T) {
	b := ruled(t, nil)
	b.quiet()
	b.change(nil, rules.Rule{Effect: rules.Ask, Text: "Read(secret.txt)"})
	if got := b.quiet(); !slices.Contains(got, "run 1: control apply_flag_settings") {
		t.Errorf("not told: %q", got)
	}
	if len(lacking(b)) == 0 {
		t.Error("the agent has the rule before it has said so")
	}
	b.tell(b.out(claude.ControlAnswered{Request: lastRules(t, b), OK: true}))
	if len(lacking(b)) > 0 || b.state.agent.handover.Old {
		t.Errorf("behind: %v, to be replaced: %v", lacking(b), b.state.agent.handover.Old)
	}
	b.quiet()
	// The same again changes nothing; one that is taken back is taken back.
	b.tell(settings.Changed{Now: b.state.options.Settings, Rules: &settings.RulesChanged{}})
	if got := b.quiet(); len(got) > 0 {
		t.Errorf("told again: %q", got)
	}
	b.change(nil)
	if got := b.quiet(); !slices.Contains(got, "run 1: control apply_flag_settings") {
		t.Errorf("not told: %q", got)
	}
}

// Rules that change while the agent has not answered yet are given when it has.
func TestRulesChangeTwice(t *testing.T) {
	b := ruled(t, nil)
	b.change(nil, rules.Rule{Effect: rules.Ask, Text: "Read(a)"})
	first := lastRules(t, b)
	b.change(nil, rules.Rule{Effect: rules.Ask, Text: "Read(a)"}, rules.Rule{Effect: rules.Deny, Text: "Read(b)"})
	b.tell(b.out(claude.ControlAnswered{Request: first, OK: true}))
	if second := lastRules(t, b); second == first || !slices.Contains(b.state.agent.handover.Asked.Deny, "Read(b)") {
		t.Errorf("%+v", b.state.agent.handover)
	}
}

// An agent that cannot be told is replaced when it rests, and not before.
func TestRulesAreRefused(t *testing.T) {
	b := ruled(t, nil)
	b.change(nil, rules.Rule{Effect: rules.Ask, Text: "Read(a)"})
	b.tell(b.out(claude.ControlAnswered{Request: lastRules(t, b), OK: false, Error: "no"}))
	if b.state.replacing() || len(lacking(b)) == 0 {
		t.Errorf("ended in the middle of its turn: %v", b.state.replacing())
	}
	b.quiet()
	b.tell(b.out(finished("k1")))
	if !b.state.replacing() {
		t.Errorf("not replaced when it rests: %q", b.quiet())
	}
}

// Too many rules for one line: the same.
func TestManyRules(t *testing.T) {
	b := ruled(t, nil)
	var all []rules.Rule
	for n := range 200 {
		all = append(all, rules.Rule{Effect: rules.Deny, Text: "Read(" + strings.Repeat("a", n) + "/secret/file)"})
	}
	b.change(nil, all...)
	if h := b.state.agent.handover; h.Request != "" || !h.Refused || !h.Old {
		t.Errorf("%+v", h)
	}
}

func TestWideningIsAnnounced(t *testing.T) {
	b := ruled(t, nil)
	b.quiet()
	b.change([]string{"added allow Bash(make *)"}, rules.Rule{Effect: rules.Allow, Text: "Bash(make *)"})
	if got := b.quiet(); !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "notice RULES_WIDENED") }) {
		t.Errorf("%q", got)
	}
}

// What stands on the command line is read back from it.
func TestRulesOnTheCommandLine(t *testing.T) {
	b := ruled(t, map[rules.Effect][]string{
		rules.Ask: {"Read(secret.txt)", "Edit(/etc/**)"}, rules.Deny: {"Bash(rm *)", "WebFetch"},
	})
	start := b.state.rulesAtStart()
	argv, err := claude.Argv(claude.Spec{Program: "claude", SessionID: string(b.state.id), AskRules: start.Ask, DeniedTools: start.Deny, SubagentText: true})
	if err != nil {
		t.Fatal(err)
	}
	got := claude.RulesOf(argv)
	if !slices.Equal(got.Ask, start.Ask) || !slices.Equal(got.Deny, start.Deny) {
		t.Errorf("%+v, want %+v", got, start)
	}
	if !slices.Contains(got.Ask, "Edit(//etc/**)") {
		t.Errorf("%q: a rule from the root is one from the directory only", got.Ask)
	}
}

// Settings that have changed hold for the next decision, and not for requests that wait.
func TestChangedSettingsHoldFromTheNextDecision(t *testing.T) {
	b := askingFor(t, "call")
	now := *b.state.options.Settings
	now.PermissionTTL = time.Hour
	b.tell(settings.Changed{Now: &now})
	asked := asks("p2", "Bash")
	asked.ToolUse = "another"
	b.tell(b.out(asked))
	b.quiet()
	for _, p := range b.state.prompts.List(prompts.Undecided) {
		want := benchOptions.PermissionTTL
		if p.ToolUse == "another" {
			want = time.Hour
		}
		if got := p.ExpiresAt.Sub(p.ReceivedAt); got != want {
			t.Errorf("the request for %s waits %v, want %v", p.ToolUse, got, want)
		}
	}
}

// oldAgent is a bench in whose turn an agent works that was started with rules, and that takes
// no others while it runs.
func oldAgent(t *testing.T, list ...rules.Rule) *bench {
	t.Helper()
	b := newBench(t)
	b.rules, _ = rules.New(list...)
	b.tell(start("ann"))
	b.tell(input("ann", "k1"))
	b.tell(b.of("2.1.20"))
	b.tell(messages.InputWrittenTo{Run: 1, Key: "k1"})
	b.tell(b.out(claude.TurnStarted{Version: "2.1.20"}))
	if given := claude.RulesOf(b.state.run.Argv).Ask; !slices.Contains(given, "Read(a)") {
		t.Fatalf("started with %q", given)
	}
	b.quiet()
	return b
}

// A version that never answers a request with rules is not sent one: its agent is replaced when
// it rests, and not before.
func TestRulesOfAnOldVersion(t *testing.T) {
	for name, list := range map[string][]rules.Rule{
		"a rule is added":      {{Effect: rules.Ask, Text: "Read(a)"}, {Effect: rules.Deny, Text: "Read(b)"}},
		"a rule is taken back": {},
	} {
		t.Run(name, func(t *testing.T) {
			b := oldAgent(t, rules.Rule{Effect: rules.Ask, Text: "Read(a)"})
			b.change(nil, list...)
			if got := b.quiet(); slices.Contains(got, "run 1: control apply_flag_settings") || b.state.agent.handover.Request != "" {
				t.Errorf("the agent was asked: %q", got)
			}
			if b.state.replacing() {
				t.Error("ended in the middle of its turn")
			}
			b.tell(b.out(claude.TurnEnded{}))
			if !b.state.replacing() {
				t.Errorf("not replaced when it rests: %q", b.quiet())
			}
		})
	}
}

// An agent of such a version whose command line has all rules stays.
func TestOldVersionWithAllRulesStays(t *testing.T) {
	b := oldAgent(t, rules.Rule{Effect: rules.Ask, Text: "Read(a)"})
	b.tell(settings.Changed{Now: b.state.options.Settings, Rules: &settings.RulesChanged{}})
	b.tell(b.out(claude.TurnEnded{}))
	if b.state.replacing() {
		t.Error("replaced without need")
	}
}

// A session tells which rules its agent does not have yet, and in which mode it really is.
func TestAgentRules(t *testing.T) {
	b := ruled(t, map[rules.Effect][]string{rules.Ask: {"Read(a)"}})
	if a := b.state.agentRules(); !a.Running || a.Mode != "default" || len(a.Missing) != 0 || !slices.Contains(a.Ask, "Read(a)") {
		t.Errorf("%+v", a)
	}
	b.state.agent.handover.Has.Ask = nil
	m := wants(claude.BypassMode)
	m.ConfirmMode = true
	b.tell(m)
	if a := b.state.agentRules(); a.Mode != "default" || a.NextMode != claude.BypassMode || !slices.Equal(a.Missing, []string{"ask Read(a)"}) {
		t.Errorf("%+v", a)
	}
	b.tell(b.exit(0))
	if a := b.state.agentRules(); a.Running || len(a.Missing) != 0 || !slices.Contains(a.Ask, "Read(a)") {
		t.Errorf("%+v", a)
	}
}
