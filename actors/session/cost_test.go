package session

import (
	"strings"
	"testing"

	"betcode/actors/internal/claude"
	"betcode/messages"
)

// The limit of the cost is the session's: a message is refused when nothing is left.
func TestCostReached(t *testing.T) {
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
