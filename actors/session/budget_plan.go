package session

import (
	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/session/budget"
	"betcode/actors/session/events"
	"betcode/actors/session/prompts"
	"betcode/messages"
)

// A plan that is played on behalf of the session has a budget of its own. The plan decides when it is used; the session puts the
// question before people, and keeps it until one of them decides.

// planBudgetDecided is an effect: the decision about the budget of a plan is durable.
type planBudgetDecided struct{ request messages.RequestID }

func (planBudgetDecided) Effect() {}

// askPlanBudget asks people about the budget of a plan, once for each request.
func (t *transition) askPlanBudget(from *actor.PID, m messages.AskPlanBudget) {
	const op = "ask about the budget of a plan"
	if !t.known(from, op) {
		return
	}
	_, waits := t.s.prompts.Find(m.Request)
	switch answered, known := t.s.ledger.Decided(m.Request); {
	case known:
		t.then(act.Reply{To: from, With: messages.PlanBudgetAnswer{Decision: answered.Decision, By: answered.By}})
		return
	case waits && m.Withdraw:
		t.withdraw(m.Request, "plan")
	case !waits && !m.Withdraw:
		t.putPlanBudget(m)
	}
	t.then(act.Reply{To: from, With: messages.PlanBudgetAnswer{}})
}

func (t *transition) putPlanBudget(m messages.AskPlanBudget) {
	now := act.Wall(t.now.at)
	q := budget.Ask(m.Limit, m.Step, m.Spent, map[string]string{"plan": string(m.Plan)})
	p := messages.PermissionRecord{
		Request: m.Request, Session: t.s.id, Run: t.s.record.Run, Seq: t.s.record.Head + 1, Tool: budgetTool, Budget: messages.HeldByPlan, Input: q.Input,
		Reason:      "the budget of plan " + string(m.Plan) + " is used: " + q.Used,
		Description: "raise the budget of the plan to " + q.Next + "; denied, it starts no further step",
		Why:         messages.AskReason{DisplayName: "Budget", NoSessionGrant: true, DefaultToNo: true},
		ReceivedAt:  now, ForwardedAt: now, ExpiresAt: now.Add(t.s.options.PermissionTTL), OrphanedAt: now,
	}
	for _, e := range events.Prompt(p) {
		t.emit(e)
	}
	t.putPermission(p)
	t.callFor(p)
	t.then(spawnPermission{p})
}

// planDecided tells the plan that its question was answered.
func (t *transition) planDecided(from *actor.PID, p messages.PermissionRecord, request messages.RequestID) {
	t.peopleDecided(from, p, request)
	t.then(planBudgetDecided{p.Request})
	text := "The budget of the plan is raised"
	if !prompts.Allows(p.Decision) {
		text = "The budget of the plan is not raised; it starts no further step until a person lets it go on (betcode orchestrate resume)"
	}
	t.notice("PLAN_BUDGET_DECIDED", text, map[string]string{"client": p.DecidedBy})
}
