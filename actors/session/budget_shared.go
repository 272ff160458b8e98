package session

import (
	"cmp"
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/daybudget"
	"betcode/actors/internal/act"
	"betcode/actors/session/budget"
	"betcode/actors/session/family"
	"betcode/actors/session/prompts"
	"betcode/messages"
)

// Budgets that a session shares with others. It reports its consumption to them, and begins no turn at a limit.
//
// The budget of the day is that of all sessions (package day). The ledger of the day chooses the session that asks people.
// Their decision is in that session's record, with the day for which it holds.

// sendToDay is an effect: report the session's consumption to the ledger of the day.
type sendToDay struct{ daybudget.Report }

func (sendToDay) Effect() {}

// today returns the record's budget for a change, moved to the present day.
func (t *transition) today() *messages.Budget {
	b := &t.change().Budget
	budget.Day(b, cmp.Or(t.s.day.Day, t.now.at.Format(time.DateOnly)), t.s.day.Begins)
	return b
}

// reportDay reports to the ledger of the day the session's consumption, and whether work waits. It ends every step.
func (t *transition) reportDay() {
	if !t.s.exists || t.append.Delete {
		return
	}
	if r, news := t.s.day.Report(t.s.id, t.s.record.Budget); news {
		t.then(sendToDay{r})
	}
}

// askDay asks people whether all sessions may consume more today.
func (t *transition) askDay() {
	t.today()
	t.askPeople(t.s.day.Request(t.s.record.Budget))
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
	d, b := &t.s.day, t.today()
	details := map[string]string{"day": d.Day, "client": p.DecidedBy}
	switch allowed := prompts.Allows(p.Decision); {
	case !d.Decide(b, allowed):
		t.notice("DAY_BUDGET_OVER", "The answer was for a day that is over, and changes nothing", map[string]string{"client": p.DecidedBy})
	case allowed:
		t.notice("DAY_BUDGET_RAISED", "The budget of all sessions is "+budget.LimitText(b.DayRaised)+" for "+d.Day, details)
	default:
		t.notice("DAY_BUDGET_REFUSED", "The budget of all sessions is not raised for "+d.Day+"; messages wait until the next day, or until the settings "+
			"allow more (betcode config set budget.day_usd AMOUNT)", details)
	}
}

// dayNear warns people that most of the budget of the day is used.
func (t *transition) dayNear(m daybudget.Near) {
	if !t.s.exists || t.s.deleting() {
		return
	}
	t.today().DayNear = true
	message := "80 % of the daemon's budget of " + m.View.Day + " are used: " + budget.UsedText(m.View.Limit, m.View.Spent)
	t.notice("DAY_BUDGET_NEAR", message, nil)
	t.call("DAY_BUDGET_NEAR", message, nil)
}

// What subagents consume counts against the budget of every session above them (package family). At its budget a session begins no
// turn, nor do those below it. It alone asks, when work waits anywhere in the family.

// familyPatience bounds the wait for the sessions above and below: they may be damaged.
const familyPatience = 10 * time.Second

// familyDue is the timer's message when the other sessions have had their time to answer.
type familyDue struct{}

// readFamily is an effect: read what the sessions below have consumed, for familyRead.
type readFamily struct{}

func (readFamily) Effect() {}

func (readFamily) asks(d *Deps, s *state) func() any {
	id := s.id
	return func() any {
		below, err := d.SpentBelow(id)
		return familyRead{below, err}
	}
}

// familyRead brings what the sessions below have consumed, by session directly below.
type familyRead struct {
	below map[messages.SessionID]messages.Spent
	err   error
}

// askAbove asks the session above whether its budget is used. No agent is started until it has answered.
func (t *transition) askAbove() {
	if t.s.subagentLives() && !t.s.forwarding.Alone() {
		t.s.family.Ask()
		t.then(act.After{Delay: familyPatience, Message: familyDue{}})
	}
}

// recoverFamily begins the exchange with the sessions above and below anew. A request to raise the budget stays until the
// sessions below have reported whether they still wait for it.
func (t *transition) recoverFamily() {
	t.askAbove()
	if t.s.record.Budget.Below == (messages.Spent{}) {
		return
	}
	if slices.ContainsFunc(t.s.prompts.List(prompts.Undecided), func(p messages.PermissionRecord) bool { return p.Budget == messages.HeldByBudget }) {
		t.s.family.Expect()
		t.then(act.After{Delay: familyPatience, Message: familyDue{}})
	}
}

// spentBelow takes what a session directly below has consumed.
func (t *transition) spentBelow(m family.SpentBelow) {
	if !t.s.exists || t.s.deleting() {
		t.then(sendToSession{Toward{Session: m.From, Message: NothingAbove{}}})
		t.maybeRetire()
		return
	}
	t.s.family.Below(m)
}

// familyRead takes what the journal has.
func (t *transition) familyRead(m familyRead) {
	if m.err != nil {
		t.notice("BUDGET_INCOMPLETE", "What subagents that have ended consumed cannot be read and does not count against the budget: "+m.err.Error(), nil)
	}
	t.s.family.Loaded(m.below)
	t.maybeRetire()
}

// updateFamily sums up what is below, before budgets are compared.
func (t *transition) updateFamily() {
	if !t.s.exists || t.append.Delete || !t.s.limited() {
		return
	}
	if t.s.family.Read() {
		t.then(readFamily{})
	}
	if next := t.s.family.Sum().Max(t.s.record.Budget.Below); next != t.s.record.Budget.Below {
		t.change().Budget.Below = next
	}
}

// waitsAbove reports whether work here or below waits for a budget of a session above.
func (s *state) waitsAbove() bool {
	return s.held() == messages.HeldByFamily && (s.awaitsBudget() || s.family.Waits())
}

// leaveFamily reports to the session above the final consumption, and that nothing waits here. The tombstone keeps the same sum, so
// that the session above finds it when it is loaded again.
func (t *transition) leaveFamily() {
	if t.s.record.Subagent != nil && !t.s.forwarding.Alone() {
		m := family.SpentBelow{From: t.s.id, Spent: t.s.spent()}
		t.then(sendToSession{Toward{Session: t.s.record.Subagent.Parent, Message: m}})
	}
}

// tellFamily reports to the sessions below whether turns may begin, and to the one above the consumption. It ends every step.
func (t *transition) tellFamily() {
	if !t.s.exists || t.append.Delete {
		return
	}
	why := t.s.held() // at that of the day, each session waits for itself
	now := family.BudgetAbove{Used: why == messages.HeldByBudget || why == messages.HeldByFamily, Limited: t.s.limited()}
	for _, id := range t.s.family.Recipients(now) {
		t.then(sendToSession{Toward{Session: id, Message: now}})
	}
	if t.s.record.Subagent == nil || t.s.forwarding.Alone() {
		return
	}
	if m := (family.SpentBelow{From: t.s.id, Spent: t.s.spent(), Waits: t.s.waitsAbove()}); t.s.family.Report(m) {
		t.then(sendToSession{Toward{Session: t.s.record.Subagent.Parent, Message: m, Start: true}})
	}
}
