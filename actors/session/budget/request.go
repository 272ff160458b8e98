package budget

import "betcode/messages"

// Tool is the tool that a request to raise a budget names.
const Tool = "Budget"

// Request asks people whether a session may consume more than its budget. spent is what counts against it.
func Request(b messages.Budget, spent messages.Spent, why messages.Holding) messages.PermissionRecord {
	q := ask(b.Limit, b.Step, spent, nil)
	reason := "the budget of this session is used: " + q.Used
	if b.Below != (messages.Spent{}) {
		reason += "; its subagents used " + spentText(b.Below) + " of it"
	}
	return messages.PermissionRecord{
		Tool: Tool, Budget: why, Input: q.Input, Reason: reason, Why: messages.AskReason{DisplayName: "Budget"},
		Description: "raise the budget to " + q.Next + "; denied, the session stays paused",
	}
}

// DayRequest asks people whether all sessions may consume more on a day.
func DayRequest(day string, limit, step messages.BudgetLimit, spent messages.Spent) messages.PermissionRecord {
	q := ask(limit, step, spent, map[string]string{"day": day})
	return messages.PermissionRecord{
		Tool: Tool, Budget: messages.HeldByDay, Input: q.Input, Why: messages.AskReason{DisplayName: "Budget of the day"},
		Reason:      "the daemon's budget of " + day + " is used by all sessions together: " + q.Used,
		Description: "raise the budget of all sessions for " + day + " to " + q.Next + "; denied, no session begins a turn before the next day",
	}
}

// PlanRequest asks people whether a plan may consume more than its budget.
func PlanRequest(m messages.AskPlanBudget) messages.PermissionRecord {
	q := ask(m.Limit, m.Step, m.Spent, map[string]string{"plan": string(m.Plan)})
	return messages.PermissionRecord{
		Request: m.Request, Tool: Tool, Budget: messages.HeldByPlan, Input: q.Input,
		Reason:      "the budget of plan " + string(m.Plan) + " is used: " + q.Used,
		Description: "raise the budget of the plan to " + q.Next + "; denied, it starts no further step",
		Why:         messages.AskReason{DisplayName: "Budget"},
	}
}

// Set returns a limit of which a person sets some members.
func Set(l messages.BudgetLimit, m messages.SetBudget) messages.BudgetLimit {
	if m.Micros != nil {
		l.Micros = *m.Micros
	}
	if m.Tokens != nil {
		l.Tokens = *m.Tokens
	}
	if m.Work != nil {
		l.Work = *m.Work
	}
	return l
}
