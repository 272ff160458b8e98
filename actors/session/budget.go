package session

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/actors/run"
	"betcode/actors/session/audit"
	"betcode/actors/session/budget"
	"betcode/actors/session/ending"
	"betcode/actors/session/prompts"
	"betcode/messages"
)

// A session counts what its turns consume, and begins no turn at its budget: messages are accepted and wait, and the daemon asks by a
// permission request of its own. A turn that runs is not interrupted, because its cost is known only when it ends.
//
// The request exists while work waits. After a refusal the session asks again only when a person acts.

// counted is what a turn has consumed, as budgets count it.
func counted(u claude.Usage) budget.Turn {
	return budget.Turn{USD: u.CostUSD, CostKnown: !u.CostUnknown, Tokens: u.InputTokens + u.OutputTokens + u.CacheCreationTokens}
}

// countTurn counts a turn that has ended with a result.
func (t *transition) countTurn(u claude.Usage) {
	t.pauseWork(t.now.at)
	var most time.Duration
	if t.s.agent.adoptedTurn { // only the agent knows how long it ran without a daemon
		most = u.Duration
	}
	t.s.agent.adoptedTurn = false
	b := t.today()
	budget.EndTurn(b, counted(u), most)
	t.change().Usage.CostUSD = b.Spent.USD()
}

// countCutOff counts the part of a turn that the end of its process interrupted.
func (t *transition) countCutOff(exit messages.Exit) {
	at := t.now.at
	if exit.Known && exit.At.Before(at) {
		at = exit.At
	}
	t.pauseWork(at)
	if b := t.today(); t.s.agent.working && t.s.record.Turn {
		b.Spent = budget.CutOff(b.Spent)
	}
	budget.EndWork(&t.change().Budget)
}

// pauseWork ends a stretch of work at a time.
func (t *transition) pauseWork(at time.Time) {
	if !t.s.record.Budget.WorkingSince.IsZero() {
		budget.Pause(t.today(), at)
	}
}

// measureWork begins or ends a stretch of work. A step that changes it always has an append.
func (t *transition) measureWork() {
	works := t.s.record.Turn && t.s.agent.working && t.s.active() && !t.s.frozen() && !t.s.prompts.AgentWaits()
	switch {
	case !t.dirty:
	case !works:
		t.pauseWork(t.now.at)
	case t.s.record.Budget.WorkingSince.IsZero():
		t.today().WorkingSince = act.Wall(t.now.at)
	}
}

// updateBudget compares what was consumed with the budget. It ends every step.
func (t *transition) updateBudget() {
	if !t.s.exists || t.append.Delete || t.s.deleting() {
		return
	}
	t.measureWork()
	t.announceNear()
	if t.s.day.Unsure() {
		return
	}
	why := t.s.held()
	if !t.s.awaitsBudget() && (why != messages.HeldByBudget || !t.s.family.Waits()) {
		why = ""
	}
	asked := false
	for _, p := range t.s.prompts.List(prompts.Undecided) {
		switch {
		case p.Budget == "", p.Budget == messages.HeldByPlan:
		case p.Budget != why, p.Budget == messages.HeldByDay && !t.s.day.Asks:
			t.withdraw(p.Request, "budget")
		default:
			asked = true
		}
	}
	works := t.s.record.Turn && t.s.agent.working
	if r := t.s.record; r.Budget.Held != why || why != "" && r.Phase == messages.PhaseActive && !works { // the latter: another message, or the turn ended
		t.hold(why)
	}
	switch { // the ancestor whose budget is used asks
	case asked:
	case why == messages.HeldByBudget && !t.s.record.Budget.Refused:
		t.askPeople(budget.Request(t.s.record.Budget, t.s.spent(), why))
	case why == messages.HeldByDay && t.s.day.Asks && !t.s.day.Refused:
		t.askDay()
	}
	t.noteDayAsked()
	if why != "" && t.s.restsAtBudget() {
		t.replaceAgent(ending.Park, run.StopOrderly) // others may have its slot
	}
}

// announceNear announces once that most of a limit is used.
func (t *transition) announceNear() {
	b := t.s.record.Budget
	switch level := b.Limit.Level(t.s.spent()); {
	case level == messages.BudgetOK && b.Near:
		t.change().Budget.Near = false
	case level == messages.BudgetNear && !b.Near:
		t.change().Budget.Near = true
		message := "80 % of the session's budget are used: " + budget.UsedText(b.Limit, t.s.spent())
		t.notice("BUDGET_NEAR", message, nil)
		t.call("BUDGET_NEAR", message, nil)
	}
}

// hold records why messages wait for a budget, or that no message waits.
func (t *transition) hold(why messages.Holding) {
	r := t.change()
	r.Budget.Held = why
	switch {
	case r.Turn && t.s.agent.working: // the turn ends by itself
	case why != "":
		r.Phase = messages.PhaseWaiting
		t.status(pb.AgentStatus_WAITING_FOR_USER, "The budget is used; messages wait")
		t.noteDayHeld()
	case !t.s.busy():
		t.becomeIdle()
	default:
		r.Phase = messages.PhaseActive
		t.status(pb.AgentStatus_THINKING, "")
	}
}

// budgetDecided acts on the answer to the budget request.
func (t *transition) budgetDecided(from *actor.PID, p messages.PermissionRecord, request messages.RequestID) {
	switch p.Budget {
	case messages.HeldByPlan:
		t.planDecided(from, p, request)
		return
	case messages.HeldByDay:
		t.dayDecided(from, p, request)
		return
	case messages.HeldByBudget, messages.HeldByFamily:
	}
	t.peopleDecided(from, p, request)
	t.s.family.Decided()
	b := &t.change().Budget
	if !prompts.Allows(p.Decision) {
		b.Refused = true
		t.notice("BUDGET_REFUSED", "The budget is not raised; messages wait until a person raises it (betcode session budget "+messages.ShortID(t.s.id)+"), "+
			"sends another message, or cancels", nil)
		return
	}
	b.Limit = budget.Raised(b.Limit, b.Step, t.s.spent())
	t.notice("BUDGET_RAISED", "The budget of this session is now "+budget.LimitText(b.Limit), map[string]string{"client": p.DecidedBy})
}

// setBudget changes the budget of the session.
func (t *transition) setBudget(from *actor.PID, m messages.SetBudget) {
	const op = "set budget"
	if !t.known(from, op) {
		return
	}
	before := t.s.record.Budget.Limit
	limit := budget.Set(before, m)
	if err := messages.CheckBudget(op, limit); err != nil {
		t.then(act.Reply{To: from, With: err})
		return
	}
	b := &t.change().Budget
	b.Limit, b.Step, b.Refused = limit, limit, false
	e := audit.ByClient(messages.AuditBudgetChanged, m.Client)
	e.Context = map[string]string{"from": budget.LimitText(before), "to": budget.LimitText(limit)}
	t.audit(e)
	t.then(act.Reply{To: from, With: messages.Done{}})
}

// A plan that runs on behalf of the session has a budget of its own. The plan decides when it is used; the session asks people, and
// keeps the request until one of them decides.

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
		t.askPeople(budget.PlanRequest(m))
	}
	t.then(act.Reply{To: from, With: messages.PlanBudgetAnswer{}})
}

// planDecided notifies the plan that its request was decided.
func (t *transition) planDecided(from *actor.PID, p messages.PermissionRecord, request messages.RequestID) {
	t.peopleDecided(from, p, request)
	t.then(planBudgetDecided{p.Request})
	text := "The budget of the plan is raised"
	if !prompts.Allows(p.Decision) {
		text = "The budget of the plan is not raised; it starts no further step until a person lets it go on (betcode orchestrate resume)"
	}
	t.notice("PLAN_BUDGET_DECIDED", text, map[string]string{"client": p.DecidedBy})
}
