package session

import (
	"strings"
	"testing"
	"time"

	"betcode/actors/daybudget"
	"betcode/actors/session/budget"
	"betcode/actors/session/family"
	"betcode/messages"
)

// dollar is a budget of the day.
var dollar = messages.BudgetLimit{Micros: 1_000_000}

// dayBench is a session whose first turn runs, under a budget of the day of one dollar, of which others have used so much. It is the
// one to ask.
func dayBench(t tester, others uint64) *bench {
	b := turning(t)
	b.day = daybudget.Standing{Known: true, Setting: dollar, Limit: dollar, Others: messages.Spent{Micros: others}, Asks: true}
	b.tell(daybudget.Changed{})
	b.quiet()
	return b
}

// dayReport returns the newest report.
func (b *bench) dayReport() daybudget.Report { return last[sendToDay](b).Report }

// What a session consumes counts with that of others. The turn that runs goes on; at the limit the next one waits, and people are
// asked once, also after a crash.
func TestDayBudgetAsks(t *testing.T) {
	b := dayBench(t, 900_000)
	b.tell(input("ann", "k2"))
	if b.raise() != nil {
		t.Fatal("it is held below the limit")
	}
	b.tell(b.out(spend(0.25, "k1")))
	if r := b.dayReport(); r.Budget.OfDay("2026-11-20").Micros != 250_000 {
		t.Errorf("%+v", r)
	}
	b.tell(b.out(took("k2")...))
	b.tell(b.out(spend(0.05, "k2")))
	b.quiet()
	b.tell(input("ann", "k3"))
	p := b.raise()
	if p == nil || p.Budget != messages.HeldByDay || !strings.Contains(p.Reason, "$1.20") || !strings.Contains(p.Description, "$2.00") {
		t.Fatalf("%+v", p)
	}
	if r := b.dayReport(); !r.Waits || !r.Budget.DayAsks || b.state.record.Budget.Held != messages.HeldByDay {
		t.Errorf("%+v", r)
	}
	if said := strings.Join(b.quiet(), "\n"); strings.Contains(said, "write k3") {
		t.Error(said)
	}
	b.tell(b.exit(0)) // the agent was parked
	b.day.Known = false
	b.crash()
	b.tell(attach("ann", "s1"))
	if again := b.raise(); again == nil || again.Request != p.Request || b.state.active() {
		t.Fatalf("after a crash, before the journal is read: %+v", again)
	}
	b.day.Known = true
	b.tell(daybudget.Again{})
	if again := b.raise(); again == nil || again.Request != p.Request || !b.dayReport().Waits {
		t.Fatalf("after a crash: %+v", again)
	}
	b.answers(*p, messages.AllowOnce)
	got := b.state.record.Budget
	if got.DayRaised.Micros != 2_000_000 || got.DayFrom != dollar || got.DayAsks || got.Held != "" || b.raise() != nil || got.Limit != (messages.BudgetLimit{}) {
		t.Errorf("%+v", got)
	}
	if !b.state.active() {
		t.Error("it does not go on, although the ledger is not told yet")
	}
}

// Refused, nobody asks again for this limit; the next day the work goes on by itself.
func TestDayBudgetRefused(t *testing.T) {
	for name, decision := range map[string]messages.Decision{"denied": messages.Deny, "expired": messages.DecisionExpired} {
		t.Run(name, func(t *testing.T) {
			b := dayBench(t, 2_000_000)
			b.state.options.PermissionTTL = time.Hour
			b.tell(b.out(spend(0.25, "k1")))
			b.tell(input("ann", "k2"))
			p := *b.raise()
			b.tell(b.exit(0))
			b.now = p.ExpiresAt
			b.answers(p, decision)
			if got := b.state.record.Budget; got.DayRefused != dollar || b.raise() != nil || b.state.active() {
				t.Fatalf("%+v", got)
			}
			b.tell(input("ann", "k3"))
			if b.raise() != nil || b.state.active() {
				t.Error("it asks again, or goes on")
			}
			b.now = b.now.Add(24 * time.Hour)
			b.day.Others = messages.Spent{}
			b.tell(daybudget.Changed{})
			if !b.state.active() || b.raise() != nil || b.state.record.Budget.Held != "" {
				t.Errorf("the next day: %+v", b.state.record.Budget)
			}
		})
	}
}

// An answer that comes after midnight raises nothing: the question was about the day before.
func TestDayBudgetAnswerIsLate(t *testing.T) {
	b := dayBench(t, 2_000_000)
	b.tell(b.out(spend(0.25, "k1")))
	b.tell(input("ann", "k2"))
	p := *b.raise()
	b.now = b.now.Add(24 * time.Hour)
	b.answers(p, messages.AllowOnce)
	if got := b.state.record.Budget; !got.DayRaised.IsZero() || !got.DayFrom.IsZero() {
		t.Errorf("%+v", got)
	}
}

// A session that is not the one to ask waits, and gives a request up that another session has.
func TestDayBudgetOneAsks(t *testing.T) {
	b := dayBench(t, 2_000_000)
	b.day.Asks = false
	b.tell(b.out(spend(0.25, "k1")))
	b.tell(input("ann", "k2"))
	if b.raise() != nil || b.state.record.Budget.Held != messages.HeldByDay {
		t.Fatalf("%+v", b.state.record.Budget)
	}
	b.day.Asks = true
	b.tell(daybudget.Changed{})
	if b.raise() == nil {
		t.Fatal("it does not ask")
	}
	b.day.Asks = false
	b.tell(daybudget.Changed{})
	if b.raise() != nil || b.state.record.Budget.DayAsks {
		t.Error("two sessions ask")
	}
	b.day.Asks = true
	b.tell(daybudget.Changed{})
	b.quiet()
	b.tell(cancel("ann"))
	if b.raise() != nil || b.state.record.Budget.DayAsks || b.dayReport().Waits {
		t.Errorf("without work: %+v", b.state.record.Budget)
	}
}

// Each session below waits for the budget of the day by itself; that is not the budget of a session above.
func TestDayBudgetAndFamilies(t *testing.T) {
	b := familyBench(t)
	b.day = daybudget.Standing{Known: true, Setting: dollar, Limit: dollar, Others: messages.Spent{Micros: 1_000_000}}
	b.tell(family.SpentBelow{From: sessionB, Spent: micros(1)})
	if told := b.toldBelow(sessionB); len(told) != 1 || told[0].Used {
		t.Errorf("told %+v", told)
	}
}

// A turn over midnight counts its working time on both days, and its cost on the second.
func TestDayOfATurnOverMidnight(t *testing.T) {
	b := turning(t)
	midnight := b.now.Truncate(24 * time.Hour).Add(24 * time.Hour)
	began := b.state.record.Budget.WorkingSince
	b.now = midnight.Add(time.Hour)
	b.tell(b.out(spend(0.25, "k1")))
	got := b.state.record.Budget
	if day := got.OfDay("2026-11-21"); day.Work != time.Hour || day.Micros != 250_000 || got.Spent.Work != b.now.Sub(began) {
		t.Errorf("%+v of %+v", day, got)
	}
}

// If the agent ended before midnight, and the daemon learns it later, the working time of the new day counts from zero.
func TestDayOfATurnThatEndedBefore(t *testing.T) {
	b := turning(t)
	exit := b.exit(137)
	exit.Exit.At = b.now.Add(time.Minute)
	b.now = b.now.Add(48 * time.Hour)
	b.tell(exit)
	if got := b.state.record.Budget; got.OfDay(got.Day).Work != 0 || got.DayBase.Work != time.Minute {
		t.Errorf("%+v", got)
	}
}

// People are told that most is used.
func TestDayBudgetNear(t *testing.T) {
	b := dayBench(t, 0)
	b.tell(daybudget.Near{View: messages.DayBudget{Day: "2026-11-20", Limit: dollar, Spent: messages.Spent{Micros: 800_000}}})
	if said := strings.Join(b.quiet(), "\n"); !strings.Contains(said, "DAY_BUDGET_NEAR") || !b.state.record.Budget.DayNear {
		t.Error(said)
	}
}

// An agent that uses the id of the daemon's own request gets nothing.
func TestAgentRepeatsTheIDOfTheDay(t *testing.T) {
	b := dayBench(t, 2_000_000)
	b.tell(b.out(spend(0.25, "k1")))
	b.tell(input("ann", "k2"))
	p := *b.raise()
	b.tell(b.out(asks(string(p.Request), "Bash")))
	if again := b.raise(); again == nil || again.Tool != budget.Tool || again.Budget != messages.HeldByDay {
		t.Errorf("%+v", again)
	}
}

// A client that sends a message meanwhile gets the reason for the wait. The session stays waiting.
func TestDayBudgetSaysWhyItWaits(t *testing.T) {
	b := dayBench(t, 900_000)
	b.day.Asks = false
	b.tell(input("ann", "k2"))
	b.tell(b.out(spend(0.25, "k1")))
	b.tell(b.out(took("k2")...))
	b.tell(input("ann", "k3"))
	b.tell(b.out(spend(0.25, "k2")))
	if b.state.record.Phase != messages.PhaseWaiting || b.state.record.Budget.Held != messages.HeldByDay {
		t.Errorf("when the turn has ended: %s", b.state.record.Phase)
	}
	b.quiet()
	b.tell(input("ann", "k4"))
	if said := strings.Join(b.quiet(), "\n"); strings.Count(said, "DAY_BUDGET_USED") != 1 || b.state.record.Phase != messages.PhaseWaiting {
		t.Errorf("%s: %s", b.state.record.Phase, said)
	}
}
