package handover

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/rules"
)

// facts is of an agent that was started with some ask rules, while others hold now.
func facts(given, now []string) Facts {
	argv, err := claude.Argv(claude.Spec{Program: "claude", SessionID: "5b2f1d3c-0000-4000-8000-000000000000", AskRules: given})
	if err != nil {
		panic(err)
	}
	return Facts{Start: claude.DelegatedRules{Ask: now}, Argv: argv, LiveRules: true}
}

// ids makes ids of requests: r1, r2 and so on.
func ids() func() string {
	n := 0
	return func() string { n++; return fmt.Sprintf("r%d", n) }
}

// An agent is given each change once, and the next one when it has answered.
func TestGive(t *testing.T) {
	id := ids()
	var a Agent
	f := facts([]string{"Read(a)"}, []string{"Read(a)"})
	if line := a.Give(f, id); line != nil || a.Replaced() {
		t.Errorf("an agent that has all rules is sent %s; %+v", line, a)
	}
	f = facts([]string{"Read(a)"}, []string{"Read(a)", "Read(b)"})
	line := string(a.Give(f, id))
	if !strings.Contains(line, "Read(b)") || strings.Contains(line, "Read(a)") || !a.Awaits("r1") || a.Awaits("") {
		t.Errorf("sent %s; %+v", line, a)
	}
	if got := a.Lacking(f); !slices.Equal(got, []string{"ask Read(b)"}) {
		t.Errorf("before the answer it lacks %q", got)
	}
	f = facts([]string{"Read(a)"}, []string{"Read(a)", "Read(b)", "Read(c)"})
	if line := a.Give(f, id); line != nil {
		t.Errorf("sent before the answer: %s", line)
	}
	a.Answered(f, true)
	if got := a.Lacking(f); !slices.Equal(got, []string{"ask Read(c)"}) {
		t.Errorf("after the answer it lacks %q", got)
	}
	if line := a.Give(f, id); line == nil || !a.Awaits("r2") {
		t.Errorf("the newer rules are not given: %+v", a)
	}
}

// What the agent cannot be told is on the command line of the next one.
func TestReplaced(t *testing.T) {
	long := []string{"Read(" + strings.Repeat("a", maxLine) + ")"}
	for _, c := range []struct {
		name     string
		facts    Facts
		answered bool // with a refusal
		want     bool
	}{
		{"the same rules", facts([]string{"Read(a)"}, []string{"Read(a)"}), false, false},
		{"a rule is taken back", facts([]string{"Read(a)"}, nil), false, true},
		{"a rule is added, and not answered", facts(nil, []string{"Read(a)"}), false, false},
		{"a rule is refused", facts(nil, []string{"Read(a)"}), true, true},
		{"a line is too long", facts(nil, long), false, true},
		{"the version knows no such request", old(facts(nil, []string{"Read(a)"})), false, true},
		{"such a version has all rules", old(facts([]string{"Read(a)"}, []string{"Read(a)"})), false, false},
		{"a mode of the next start", bypassing(facts(nil, nil)), false, true},
	} {
		var a Agent
		a.Give(c.facts, ids())
		if c.answered {
			a.Answered(c.facts, false)
		}
		if a.Replaced() != c.want {
			t.Errorf("%s: replaced %t, want %t", c.name, a.Replaced(), c.want)
		}
	}
}

func old(f Facts) Facts       { f.LiveRules = false; return f }
func bypassing(f Facts) Facts { f.Mode = claude.BypassMode; return f }

// No command line carries a rule that an agent would read as an option; the daemon denies it.
func TestAtStartLeavesOutOptions(t *testing.T) {
	set, _ := rules.New(rules.Rule{Effect: rules.Deny, Text: "--evil"}, rules.Rule{Effect: rules.Deny, Text: "Read(b)"}, rules.Rule{Effect: rules.Ask, Text: "Read(a)"})
	got := AtStart([]string{"Edit(x)"}, set, []string{"WebFetch"})
	if !slices.Equal(got.Ask, []string{"Edit(x)", "Read(a)"}) || !slices.Equal(got.Deny, []string{"Read(b)", "WebFetch"}) {
		t.Errorf("%+v", got)
	}
}
