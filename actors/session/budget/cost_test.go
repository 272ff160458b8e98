package budget

import (
	"testing"

	"betcode/messages"
)

func TestCostLeft(t *testing.T) {
	for _, test := range []struct{ most, spent, want float64 }{{0, 3, 0}, {1, 0, 1}, {1, 0.25, 0.75}, {1, 1, leastCost}, {1, 3, leastCost}} { // US dollars
		if got := CostLeft(test.most, test.spent); got != test.want {
			t.Errorf("after $%v of $%v: $%v", test.spent, test.most, got)
		}
	}
	if _, err := (messages.AgentOptions{MaxBudgetUSD: leastCost}).Checked(); err != nil {
		t.Error(err)
	}
}
