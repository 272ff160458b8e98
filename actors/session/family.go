package session

import (
	"slices"
	"time"

	"betcode/actors/internal/act"
	"betcode/actors/session/family"
	"betcode/actors/session/prompts"
	"betcode/messages"
)

// What subagents consume counts against the budget of every session above them (package family). At its budget a session begins no
// turn, nor do those below it. It alone asks, when work waits anywhere in the family.

// familyPatience bounds the wait for the sessions above and below: they may be damaged.
const familyPatience = 10 * time.Second

// familyDue is the timer's message when the other sessions have had their time to answer.
type familyDue struct{}

// readFamily is an effect: read what the sessions below have consumed, for familyRead.
type readFamily struct{}

func (readFamily) Effect() {}

// familyRead brings what the sessions below have consumed, by session directly below.
type familyRead struct {
	below map[messages.SessionID]messages.Spent
	err   error
}

// askAbove asks the session above whether its budget is used. No agent is started until it has answered.
func (t *transition) askAbove() {
	if t.s.subagentLives() && !t.s.forwarding.alone {
		t.s.family.Ask()
		t.then(act.After{Delay: familyPatience, Message: familyDue{}})
	}
}

// recoverFamily begins the exchange with the sessions above and below anew. A request to raise the budget stays until those below
// have told whether they still wait for it.
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

// leaveFamily tells the session above what was consumed until the end, and that nothing waits here. The tombstone keeps the same sum
// for the time when that session is loaded again.
func (t *transition) leaveFamily() {
	if t.s.record.Subagent != nil && !t.s.forwarding.alone {
		m := family.SpentBelow{From: t.s.id, Spent: t.s.spent()}
		t.then(sendToSession{Toward{Session: t.s.record.Subagent.Parent, Message: m}})
	}
}

// tellFamily tells the sessions below whether turns may begin, and the one above what was consumed. It ends every step.
func (t *transition) tellFamily() {
	if !t.s.exists || t.append.Delete {
		return
	}
	why := t.s.held() // at that of the day, each session waits for itself
	now := family.BudgetAbove{Used: why == messages.HeldByBudget || why == messages.HeldByFamily, Limited: t.s.limited()}
	for _, id := range t.s.family.Tell(now) {
		t.then(sendToSession{Toward{Session: id, Message: now}})
	}
	if t.s.record.Subagent == nil || t.s.forwarding.alone {
		return
	}
	if m := (family.SpentBelow{From: t.s.id, Spent: t.s.spent(), Waits: t.s.waitsAbove()}); t.s.family.Report(m) {
		t.then(sendToSession{Toward{Session: t.s.record.Subagent.Parent, Message: m, Start: true}})
	}
}
