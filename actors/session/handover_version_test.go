package session

import (
	"slices"
	"testing"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/rules"
	"betcode/actors/settings"
	"betcode/messages"
)

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
			if got := b.quiet(); slices.Contains(got, "run 1: control apply_flag_settings") || b.state.agent.handover.request != "" {
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
