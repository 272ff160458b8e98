package session

import (
	"testing"
	"time"

	"betcode/actors/session/family"
	"betcode/messages"
)

// micros is so much of a US dollar that was spent.
func micros(n uint64) messages.Spent { return messages.Spent{Micros: n, Turns: 1} }

// toldBelow returns what a session below was told since the bench was quiet, in order.
func (b *bench) toldBelow(id messages.SessionID) []family.BudgetAbove {
	var told []family.BudgetAbove
	for _, e := range b.effects {
		if s, ok := e.(sendToSession); ok && s.Session == id {
			if m, ok := s.Message.(family.BudgetAbove); ok {
				told = append(told, m)
			}
		}
	}
	return told
}

// reported returns the newest sum that the session above was told since the bench was quiet.
func (b *bench) reported() (family.SpentBelow, bool) {
	var newest family.SpentBelow
	found := false
	for _, e := range b.effects {
		if s, ok := e.(sendToSession); ok && s.Session == sessionB {
			if m, ok := s.Message.(family.SpentBelow); ok {
				newest, found = m, true
			}
		}
	}
	return newest, found
}

// familyBench is a session at rest with a budget of one dollar; the journal has nothing of sessions below.
func familyBench(t *testing.T) *bench {
	b := remembering(t)
	one := uint64(1_000_000)
	b.tell(messages.SetBudget{Session: sessionA, Micros: &one})
	b.tell(familyRead{})
	b.quiet()
	return b
}

// What is below counts against the budget, once however often it is told. The session asks when work waits below, and tells all when it
// may go on.
func TestBudgetOfAFamily(t *testing.T) {
	b := familyBench(t)
	b.tell(family.SpentBelow{From: sessionB, Spent: micros(600_000)})
	if told := b.toldBelow(sessionB); len(told) != 1 || told[0] != (family.BudgetAbove{Limited: true}) {
		t.Fatalf("told %+v", told)
	}
	b.quiet()
	for range 2 { // repeated after a crash
		b.tell(family.SpentBelow{From: sessionC, Spent: micros(500_000)})
	}
	if got := b.state.record.Budget.Below.Micros; got != 1_100_000 {
		t.Errorf("%d are counted", got)
	}
	for _, id := range []messages.SessionID{sessionB, sessionC} {
		if told := b.toldBelow(id); len(told) == 0 || told[len(told)-1] != (family.BudgetAbove{Used: true, Limited: true}) {
			t.Errorf("%s was told %+v", id, told)
		}
	}
	if b.raise() != nil {
		t.Error("it asks although nothing waits")
	}
	b.tell(family.SpentBelow{From: sessionC, Spent: micros(500_000), Waits: true})
	if b.raise() == nil || b.state.record.Budget.Held != messages.HeldByBudget {
		t.Fatalf("it does not ask: %+v", b.state.record.Budget)
	}
	first := b.raise().Request
	b.tell(family.SpentBelow{From: sessionB, Spent: micros(600_000), Waits: true})
	if p := b.raise(); p == nil || p.Request != first {
		t.Errorf("it asks again: %+v", p)
	}
	b.quiet()
	b.tell(won(answer("ann", first, messages.AllowOnce)))
	if got := b.state.record.Budget.Limit.Micros; got != 2_000_000 {
		t.Errorf("the limit is %d", got)
	}
	if told := b.toldBelow(sessionB); len(told) != 1 || told[0].Used {
		t.Errorf("told %+v", told)
	}
	b.crash()
	b.tell(familyRead{below: map[messages.SessionID]messages.Spent{sessionB: micros(600_000), sessionC: micros(500_000)}})
	if got := b.state.record.Budget.Below.Micros; got != 1_100_000 {
		t.Errorf("after a crash %d are counted", got)
	}
}

// A request to raise the budget for work below outlives the actor; it is withdrawn when nothing below has told that it waits.
func TestFamilyRequestSurvives(t *testing.T) {
	b := familyBench(t)
	b.tell(family.SpentBelow{From: sessionB, Spent: micros(1_100_000), Waits: true})
	first := b.raise().Request
	b.crash()
	b.tell(familyRead{below: map[messages.SessionID]messages.Spent{sessionB: micros(1_100_000)}})
	if p := b.raise(); p == nil || p.Request != first {
		t.Fatalf("after a crash %+v waits", p)
	}
	b.tell(family.SpentBelow{From: sessionB, Spent: micros(1_100_000), Waits: true})
	b.tell(familyDue{})
	if p := b.raise(); p == nil || p.Request != first {
		t.Fatalf("%+v waits although work below does", p)
	}
	b.tell(family.SpentBelow{From: sessionB, Spent: micros(1_100_000)})
	if b.raise() != nil {
		t.Error("it asks although nothing waits")
	}
}

// When a new actor has read the family, each session below is told: it may have been held by the former.
func TestFamilyIsToldAfterACrash(t *testing.T) {
	b := familyBench(t)
	b.crash()
	b.quiet()
	zero := uint64(0)
	b.tell(messages.SetBudget{Session: sessionA, Micros: &zero}) // before the journal was read
	b.tell(familyRead{below: map[messages.SessionID]messages.Spent{sessionB: micros(5)}})
	if told := b.toldBelow(sessionB); len(told) != 1 || told[0] != (family.BudgetAbove{}) {
		t.Errorf("told %+v", told)
	}
}

// A session without a limit reads nothing and answers at once.
func TestFamilyWithoutABudget(t *testing.T) {
	b := remembering(t)
	b.tell(family.SpentBelow{From: sessionB, Spent: micros(5)})
	if told := b.toldBelow(sessionB); len(told) != 1 || told[0] != (family.BudgetAbove{}) || b.state.record.Budget.Below != (messages.Spent{}) {
		t.Errorf("told %+v, counted %+v", told, b.state.record.Budget.Below)
	}
	for _, e := range b.effects {
		if _, reads := e.(readFamily); reads {
			t.Error("the journal is read")
		}
	}
}

// A subagent begins no turn while a budget above is used. It says that it waits, asks nobody itself, and goes on when it may.
func TestSubagentIsHeld(t *testing.T) {
	b := forwardingBench(t)
	b.tell(b.out(finished("k1")))
	b.tell(family.BudgetAbove{Used: true, Limited: true})
	b.tell(familyRead{})
	b.state.record.Subagent.Status = messages.SubagentRunning
	b.quiet()
	b.tell(input("ann", "k2"))
	if m, ok := b.reported(); !ok || !m.Waits || b.state.record.Budget.Held != messages.HeldByFamily || b.raise() != nil {
		t.Fatalf("reported %+v, %+v", m, b.state.record.Budget)
	}
	b.quiet()
	b.tell(family.BudgetAbove{Limited: true})
	if m, ok := b.reported(); !ok || m.Waits || b.state.record.Budget.Held != "" {
		t.Errorf("reported %+v, %+v", m, b.state.record.Budget)
	}
}

// A subagent that is loaded with work starts no agent before the session above has answered, or has had its time.
func TestSubagentAsksAboveFirst(t *testing.T) {
	for name, answer := range map[string]any{"an answer": family.BudgetAbove{}, "nothing above": NothingAbove{}, "too late": familyDue{}} {
		b := forwardingBench(t)
		b.tell(b.exit(1)) // and the daemon with it
		b.crash()
		if m, ok := b.reported(); !ok || m.From != sessionA {
			t.Fatalf("%s: it does not ask: %+v", name, m)
		}
		if !b.state.family.Unsure() || b.state.wanted() {
			t.Fatalf("%s: an agent is wanted before the answer", name)
		}
		if b.tell(answer); b.state.family.Unsure() || !b.state.wanted() && b.state.busy() {
			t.Errorf("%s: no agent is wanted", name)
		}
	}
}

// A subagent that is deleted tells its last sum, and no longer waits. The journal keeps what it has consumed, also in a turn that the
// deletion cuts off.
func TestDeletedSubagentStaysCounted(t *testing.T) {
	b := forwardingBench(t)
	b.tell(family.BudgetAbove{Limited: true})
	b.tell(familyRead{})
	b.now = b.now.Add(time.Minute)
	b.quiet()
	b.tell(messages.DeleteSession{Session: sessionA})
	b.tell(b.exit(143))
	want := messages.Spent{Work: time.Minute, Unknown: 1}
	if m, ok := b.reported(); !ok || m.Waits || m.Spent != want {
		t.Errorf("reported %+v", m)
	}
	if gone := b.journal.Remains; gone.Parent != sessionB || gone.Budget.Spent != want {
		t.Errorf("the journal has %+v", gone)
	}
}
