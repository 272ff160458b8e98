package session

import (
	"maps"
	"slices"
	"time"

	"betcode/actors/internal/act"
	"betcode/actors/session/prompts"
	"betcode/messages"
)

// What subagents consume counts against the budget of every session above them. Each session tells the one above the sum of its own
// spending and of what is below it. Such a sum replaces the one before, so a repeated one counts once; the spending itself is in the
// record of the session whose agent reported it. A session with a budget reads the sums of all descendants from the journal when it
// is loaded, since those that have ended report no more.
//
// At its budget a session begins no turn, nor do those below it. It alone asks, when work waits anywhere in the family.

// family is what a session knows of the sessions above and below it until its actor ends.
type family struct {
	below   map[messages.SessionID]SpentBelow // by session directly below
	asked   map[messages.SessionID]bool       // of them, those that wait for BudgetAbove
	reading bool                              // the journal is read for below
	read    bool
	told    BudgetAbove // what those below were told last
	waits   bool        // work below may wait, as it did for an earlier actor: those below have not told yet

	above  BudgetAbove // what the session above has told
	unsure bool        // it has not told it since this actor began, and no agent is started
	asks   bool        // it is to be asked
	sent   SpentBelow  // what it was told last
}

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
		t.s.family.unsure, t.s.family.asks = true, true
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
		t.s.family.waits = true
		t.then(act.After{Delay: familyPatience, Message: familyDue{}})
	}
}

// familyLate stops waiting for sessions that have not answered in time.
func (t *transition) familyLate() { t.s.family.unsure, t.s.family.waits = false, false }

// budgetAbove takes the answer of the session above, or that there is none.
func (t *transition) budgetAbove(m BudgetAbove) { t.s.family.above, t.s.family.unsure = m, false }

// spentBelow takes what a session directly below has consumed.
func (t *transition) spentBelow(m SpentBelow) {
	if !t.s.exists || t.s.deleting() {
		t.then(sendToSession{Toward{Session: m.From, Message: NothingAbove{}}})
		t.maybeRetire()
		return
	}
	t.putBelow(m)
	t.s.family.asked = maps.Clone(t.s.family.asked)
	if t.s.family.asked == nil {
		t.s.family.asked = map[messages.SessionID]bool{}
	}
	t.s.family.asked[m.From] = true
}

// putBelow replaces what is known of a session below. What was consumed never gets less.
func (t *transition) putBelow(m SpentBelow) {
	f := &t.s.family
	m.Spent = m.Spent.Max(f.below[m.From].Spent)
	if f.below = maps.Clone(f.below); f.below == nil {
		f.below = map[messages.SessionID]SpentBelow{}
	}
	f.below[m.From] = m
}

// familyRead takes what the journal has. All sessions below are told of the budget then: some may wait since an earlier actor.
func (t *transition) familyRead(m familyRead) {
	t.s.family.reading, t.s.family.read = false, true
	if m.err != nil {
		t.notice("BUDGET_INCOMPLETE", "What subagents that have ended consumed cannot be read and does not count against the budget: "+m.err.Error(), nil)
	}
	for id, spent := range m.below {
		t.putBelow(SpentBelow{From: id, Spent: spent, Waits: t.s.family.below[id].Waits})
	}
	t.s.family.asked = map[messages.SessionID]bool{}
	for id := range t.s.family.below {
		t.s.family.asked[id] = true
	}
	t.maybeRetire()
}

// updateFamily sums up what is below, before budgets are compared.
func (t *transition) updateFamily() {
	f := &t.s.family
	if !t.s.exists || t.append.Delete || !t.s.limited() {
		return
	}
	if !f.read && !f.reading {
		f.reading = true
		t.then(readFamily{})
	}
	var sum messages.Spent
	for _, below := range f.below {
		sum = sum.Plus(below.Spent)
	}
	if next := sum.Max(t.s.record.Budget.Below); next != t.s.record.Budget.Below {
		t.change().Budget.Below = next
	}
}

// leaveFamily tells the session above what was consumed until the end, and that nothing waits here. The tombstone keeps the same sum
// for the time when that session is loaded again.
func (t *transition) leaveFamily() {
	if t.s.record.Subagent != nil && !t.s.forwarding.alone {
		m := SpentBelow{From: t.s.id, Spent: t.s.spent()}
		t.then(sendToSession{Toward{Session: t.s.record.Subagent.Parent, Message: m}})
	}
}

// tellFamily tells the sessions below whether turns may begin, and the one above what was consumed. It ends every step.
func (t *transition) tellFamily() {
	if !t.s.exists || t.append.Delete {
		return
	}
	f := &t.s.family
	why := t.s.held() // at that of the day, each session waits for itself
	if now := (BudgetAbove{Used: why == messages.HeldByBudget || why == messages.HeldByFamily, Limited: t.s.limited()}); !f.unsure && !f.reading {
		for id := range f.below {
			if f.asked[id] || now != f.told {
				t.then(sendToSession{Toward{Session: id, Message: now}})
			}
		}
		f.told, f.asked = now, nil
	}
	if t.s.record.Subagent == nil || t.s.forwarding.alone || f.reading {
		return
	}
	m := SpentBelow{From: t.s.id, Spent: t.s.spent(), Waits: t.s.waitsAbove()}
	if f.asks || f.above.Limited && m != f.sent {
		f.asks, f.sent = false, m
		t.then(sendToSession{Toward{Session: t.s.record.Subagent.Parent, Message: m, Start: true}})
	}
}
