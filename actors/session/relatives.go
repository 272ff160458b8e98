package session

import (
	"slices"
	"time"

	"betcode/actors/internal/act"
	"betcode/actors/session/events"
	"betcode/actors/session/family"
	"betcode/actors/session/forward"
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
	if t.s.subagentLives() && !t.s.forwarding.Alone() {
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
	if t.s.record.Subagent != nil && !t.s.forwarding.Alone() {
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
	if t.s.record.Subagent == nil || t.s.forwarding.Alone() {
		return
	}
	if m := (family.SpentBelow{From: t.s.id, Spent: t.s.spent(), Waits: t.s.waitsAbove()}); t.s.family.Report(m) {
		t.then(sendToSession{Toward{Session: t.s.record.Subagent.Parent, Message: m, Start: true}})
	}
}

// A subagent that forwards its requests has them shown on the streams of the session above it, and further up as long as each
// session forwards (package forward). An answer with a forwarded id goes to the subagent's session at once: package actors addresses
// it, so nothing here decides.

// sendToSession is an effect: hand a message to another session.
type sendToSession struct{ Toward }

func (sendToSession) Effect() {}

// updateForwarding sends the session above what waits for people, if that has changed. It ends every step.
func (t *transition) updateForwarding() {
	if !t.s.forwards() || t.append.Delete {
		return
	}
	if waiting := t.s.forwardable(); t.s.forwarding.Changed(waiting) {
		t.sendForwarded(waiting)
	}
}

// sendForwarded sends the session above the whole list. Its actor is started if the list is not empty.
func (t *transition) sendForwarded(waiting []prompts.Forwarded) {
	m := Forwarded{From: t.s.id, Waiting: waiting, Decided: t.s.forwarding.Send(waiting, t.decided)}
	t.then(sendToSession{Toward{Session: t.s.record.Subagent.Parent, Message: m, Start: len(waiting) > 0}})
}

// forwardAtStart sends the list to the session above, which may have an older one.
func (t *transition) forwardAtStart() {
	if t.s.forwards() {
		t.sendForwarded(t.s.forwardable())
	}
}

// forwardAgain sends the list once more to a session that has forgotten it.
func (t *transition) forwardAgain(to messages.SessionID) {
	if t.s.forwards() && t.s.record.Subagent.Parent == to && t.s.forwarding.Sent() {
		t.sendForwarded(t.s.forwardable())
	}
}

// stopForwarding takes back what the session has forwarded, because it is deleted, and tells the sessions below.
func (t *transition) stopForwarding() {
	if t.s.forwards() && t.s.forwarding.Sent() {
		t.sendForwarded(nil)
	}
	for _, below := range t.s.forwarding.Below() {
		t.then(sendToSession{Toward{Session: below, Message: NothingAbove{}}})
	}
}

// forwarded shows the clients of this session what waits for people below it.
func (t *transition) forwarded(m Forwarded) {
	if !t.s.exists || t.s.deleting() {
		t.then(sendToSession{Toward{Session: m.From, Message: NothingAbove{}}})
		t.maybeRetire()
		return
	}
	t.decided = append(t.decided, m.Decided...)
	for _, f := range t.s.forwarding.Take(m.From, m.Waiting, m.Decided) {
		switch f := f.(type) {
		case forward.Resolved:
			t.publishUnnumbered(events.PermissionResolved(f.PermissionRecord))
		case forward.Extended:
			t.publishUnnumbered(events.PermissionExtended(f.Shown()))
		case forward.Came:
			for _, e := range events.Forwarded(f.Shown(), f.Session, f.Name) {
				t.publishUnnumbered(e)
			}
			t.notifyOnce(f.Forwarded)
		}
	}
	t.maybeRetire()
}
