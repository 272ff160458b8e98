package session

import (
	"strings"
	"testing"

	"betcode/actors/internal/claude"
	"betcode/messages"
)

// The budget is the session's: each agent is given what is left, and a message is refused
// when nothing is.
func TestBudgetOfASession(t *testing.T) {
	s := state{record: messages.SessionRecord{Options: messages.AgentOptions{MaxBudgetUSD: 1}}}
	for _, test := range []struct{ spent, want float64 }{{0, 1}, {0.25, 0.75}, {1, leastBudget}, {3, leastBudget}} { // US dollars
		s.record.Usage.CostUSD = test.spent
		if got := s.optionsAtStart().MaxBudgetUSD; got != test.want {
			t.Errorf("after $%v: $%v", test.spent, got)
		}
	}
	if _, err := s.optionsAtStart().Checked(); err != nil {
		t.Error(err)
	}
	b := newBench(t)
	begin := start("ann")
	begin.Options = messages.AgentOptions{MaxBudgetUSD: 0.5}
	b.tell(begin)
	b.tell(input("ann", "k1"))
	b.tell(b.up())
	b.tell(b.out(claude.TurnEnded{Inputs: []string{"k1"}, Usage: claude.Usage{CostUSD: 0.5}}))
	b.quiet()
	b.tell(input("ann", "k2"))
	if said := strings.Join(b.quiet(), "\n"); !strings.Contains(said, string(messages.BudgetSpent)) || len(b.state.inputs) > 0 {
		t.Errorf("said %s, inputs %v", said, b.state.inputs)
	}
}
