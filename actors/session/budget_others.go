package session

import (
	"cmp"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/daybudget"
	"betcode/actors/internal/act"
	"betcode/actors/session/budget"
	"betcode/actors/session/prompts"
	"betcode/messages"
)

// The budget of the day is that of all sessions. A session tells what it consumes, begins no turn at the limit, and asks people if
// it is the one to do so. What they decide is in its record, with the day for which it holds.

// dayView is what a session knows of the budget of the day.
type dayView struct {
	daybudget.Standing

	at   time.Time        // of the step
	told daybudget.Report // the newest
}

// sendToDay is an effect: tell what the session has consumed.
type sendToDay struct{ daybudget.Report }

func (sendToDay) Effect() {}

// today returns the budget to be changed, of the present day.
func (t *transition) today() *messages.Budget {
	b := &t.change().Budget
	budget.Day(b, cmp.Or(t.s.day.Day, t.now.at.Format(time.DateOnly)), t.s.day.Begins)
	return b
}

// reportDay tells the ledger of the day what the session has consumed, and whether work waits. It ends every step.
func (t *transition) reportDay() {
	if !t.s.exists || t.append.Delete {
		return
	}
	r := t.s.dayReport()
	told := t.s.day.told
	if r == told || told == (daybudget.Report{}) && r.Budget.Day != t.s.day.Day && !r.Waits && r.Budget.WorkingSince.IsZero() {
		return
	}
	t.s.day.told = r
	t.then(sendToDay{r})
}

// dayReport returns what concerns the day.
func (s *state) dayReport() daybudget.Report {
	b := s.record.Budget
	b.Limit, b.Step, b.Below, b.Near, b.Held, b.Refused = messages.BudgetLimit{}, messages.BudgetLimit{}, messages.Spent{}, false, "", false
	return daybudget.Report{Session: s.id, Budget: b, Waits: s.record.Budget.Held == messages.HeldByDay}
}

// leaveDay tells it what the session consumed until the end.
func (t *transition) leaveDay() {
	r := t.s.dayReport()
	r.Deleted = true
	t.then(sendToDay{r})
}

// askDay puts the question before people whether all sessions may consume more today.
func (t *transition) askDay() {
	d := t.s.day
	q := budget.Ask(d.Limit, d.Setting, d.Others.Plus(d.Own(t.s.record.Budget, d.at)), map[string]string{"day": d.Day})
	t.today()
	t.askPeople(messages.PermissionRecord{
		Tool: budgetTool, Budget: messages.HeldByDay, Input: q.Input, Why: messages.AskReason{DisplayName: "Budget of the day"},
		Reason:      "the daemon's budget of " + d.Day + " is used by all sessions together: " + q.Used,
		Description: "raise the budget of all sessions for " + d.Day + " to " + q.Next + "; denied, no session begins a turn before the next day",
	})
}

// noteDayHeld announces that messages wait for the budget of the day: another session may be the one that asks.
func (t *transition) noteDayHeld() {
	if d := t.s.day; t.s.record.Budget.Held == messages.HeldByDay {
		t.notice("DAY_BUDGET_USED", "The daemon's budget of "+d.Day+" is used by all sessions together; messages wait until it is raised, or until the "+
			"next day (betcode fleet status)", map[string]string{"day": d.Day})
	}
}

// noteDayAsked notes in the record whether this session has the request: the next daemon finds it there.
func (t *transition) noteDayAsked() {
	asks := false
	for _, p := range t.s.prompts.List(prompts.Undecided) {
		asks = asks || p.Budget == messages.HeldByDay
	}
	if asks != t.s.record.Budget.DayAsks {
		t.today().DayAsks = asks
	}
}

// dayDecided acts on the answer. It holds for the day of the question.
func (t *transition) dayDecided(from *actor.PID, p messages.PermissionRecord, request messages.RequestID) {
	t.peopleDecided(from, p, request)
	d := &t.s.day
	b := t.today()
	if !b.DayAsks {
		t.notice("DAY_BUDGET_OVER", "The answer was for a day that is over, and changes nothing", map[string]string{"client": p.DecidedBy})
		return
	}
	b.DayAsks = false
	details := map[string]string{"day": d.Day, "client": p.DecidedBy}
	if prompts.Allows(p.Decision) {
		b.DayFrom, b.DayRaised = d.Setting, budget.Raised(d.Limit, d.Setting, d.Others.Plus(d.Own(*b, d.at)))
		t.notice("DAY_BUDGET_RAISED", "The budget of all sessions is "+budget.LimitText(b.DayRaised)+" for "+d.Day, details)
	} else {
		b.DayRefused = d.Limit
		t.notice("DAY_BUDGET_REFUSED", "The budget of all sessions is not raised for "+d.Day+"; messages wait until the next day, or until the settings "+
			"allow more (betcode config set budget.day_usd AMOUNT)", details)
	}
	d.Standing = d.With(*b)
}

// dayNear tells people that most of the budget of the day is used.
func (t *transition) dayNear(m daybudget.Near) {
	if !t.s.exists || t.s.deleting() {
		return
	}
	t.today().DayNear = true
	message := "80 % of the daemon's budget of " + m.View.Day + " are used: " + budget.UsedText(m.View.Limit, m.View.Spent)
	t.notice("DAY_BUDGET_NEAR", message, nil)
	t.call("DAY_BUDGET_NEAR", message, nil)
}

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
	q := budget.Ask(m.Limit, m.Step, m.Spent, map[string]string{"plan": string(m.Plan)})
	t.askPeople(messages.PermissionRecord{
		Request: m.Request, Tool: budgetTool, Budget: messages.HeldByPlan, Input: q.Input,
		Reason:      "the budget of plan " + string(m.Plan) + " is used: " + q.Used,
		Description: "raise the budget of the plan to " + q.Next + "; denied, it starts no further step",
		Why:         messages.AskReason{DisplayName: "Budget"},
	})
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
