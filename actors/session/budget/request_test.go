package budget

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"betcode/messages"
	"betcode/messages/toolcall"
)

func TestRequests(t *testing.T) {
	limit := messages.BudgetLimit{Micros: 1_000_000}
	spent := messages.Spent{Micros: 1_250_000}
	own := messages.Budget{Limit: limit, Step: limit}
	family := own
	family.Below = messages.Spent{Micros: 500_000}
	for name, test := range map[string]struct {
		p     messages.PermissionRecord
		of    messages.Holding
		words []string
	}{
		"of a session":   {Request(own, spent, messages.HeldByBudget), messages.HeldByBudget, []string{"this session", "$1.25", "$2.00"}},
		"with subagents": {Request(family, spent, messages.HeldByBudget), messages.HeldByBudget, []string{"its subagents used $0.50"}},
		"of the day":     {DayRequest("2026-05-04", limit, limit, spent), messages.HeldByDay, []string{"2026-05-04", "all sessions", "$1.25", "$2.00"}},
		"of a plan": {
			PlanRequest(messages.AskPlanBudget{Request: "r", Plan: "p", Limit: limit, Step: limit, Spent: spent}), messages.HeldByPlan, []string{"plan p", "$1.25", "$2.00"},
		},
	} {
		var input map[string]any
		if err := json.Unmarshal(test.p.Input, &input); err != nil {
			t.Fatal(err)
		}
		if shown := toolcall.Line(Tool, input, ""); !strings.HasPrefix(test.p.Description, shown+"; denied, ") {
			t.Errorf("%s: lists show %q, which does not begin %q", name, shown, test.p.Description)
		}
		text := test.p.Reason + " " + test.p.Description
		for _, word := range test.words {
			if !strings.Contains(text, word) {
				t.Errorf("%s: %q is not in %q", name, word, text)
			}
		}
		if test.p.Tool != Tool || test.p.Budget != test.of || len(test.p.Input) == 0 || test.p.Why.DisplayName == "" {
			t.Errorf("%s: %+v", name, test.p)
		}
	}
	if strings.Contains(Request(own, spent, messages.HeldByBudget).Reason, "subagents") {
		t.Error("subagents that consumed nothing are named")
	}
}

func TestSet(t *testing.T) {
	before := messages.BudgetLimit{Micros: 1, Tokens: 2, Work: time.Minute}
	none, more := uint64(0), uint64(9)
	hour := time.Hour
	for name, test := range map[string]struct {
		m    messages.SetBudget
		want messages.BudgetLimit
	}{
		"nothing":    {messages.SetBudget{}, before},
		"no cost":    {messages.SetBudget{Micros: &none}, messages.BudgetLimit{Tokens: 2, Work: time.Minute}},
		"everything": {messages.SetBudget{Micros: &more, Tokens: &more, Work: &hour}, messages.BudgetLimit{Micros: 9, Tokens: 9, Work: time.Hour}},
	} {
		if got := Set(before, test.m); got != test.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
