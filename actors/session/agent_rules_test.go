package session

import (
	"slices"
	"testing"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/rules"
)

// A session tells which rules its agent does not have yet, and in which mode it really is.
func TestAgentRules(t *testing.T) {
	b := ruled(t, map[rules.Effect][]string{rules.Ask: {"Read(a)"}})
	if a := b.state.agentRules(); !a.Running || a.Mode != "default" || len(a.Missing) != 0 || !slices.Contains(a.Ask, "Read(a)") {
		t.Errorf("%+v", a)
	}
	b.state.agent.handover.has.Ask = nil
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
