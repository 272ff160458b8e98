package budget

import (
	"strings"
	"testing"

	"betcode/messages"
)

func TestErrors(t *testing.T) {
	const op, id = "send input", messages.SessionID("s1")
	for name, test := range map[string]struct {
		err        *messages.Error
		told, hint string
	}{
		"cost reached":      {CostError(op, id, 0.5, 0.25), "$0.5000, and its budget is $0.2500", "another session"},
		"budget":            {HeldError(op, id, messages.HeldByBudget), "the budget is used", "betcode session budget"},
		"budget above":      {HeldError(op, id, messages.HeldByFamily), "the budget is used", "betcode session budget"},
		"budget of the day": {HeldError(op, id, messages.HeldByDay), "of the day is used", "betcode fleet status"},
	} {
		e := test.err
		if e.Op != op || e.Kind != messages.WrongState || e.Code != messages.BudgetSpent || e.Details["session_id"] != string(id) ||
			!strings.Contains(e.Error(), test.told) || !strings.Contains(e.Hint, test.hint) {
			t.Errorf("%s: %+v", name, e)
		}
	}
}
