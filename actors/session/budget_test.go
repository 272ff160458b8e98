package session

import (
	"strings"
	"testing"
	"time"

	"betcode/actors/internal/claude"
	"betcode/actors/permission"
	"betcode/actors/session/recall"
	"betcode/messages"
)

// spend is the result of a turn that cost something.
func spend(usd float64, keys ...string) claude.TurnEnded {
	return claude.TurnEnded{Inputs: keys, Usage: claude.Usage{CostUSD: usd, InputTokens: 10, OutputTokens: 5, CacheReadTokens: 1000, CacheCreationTokens: 1}}
}

// limited is a session whose first turn runs, with a budget of one dollar.
func limited(t tester) *bench {
	b := turning(t)
	one := uint64(1_000_000)
	b.tell(messages.SetBudget{Session: sessionA, Micros: &one})
	b.quiet()
	return b
}

// used is that session when the turn has cost more.
func used(t tester) *bench {
	b := limited(t)
	b.tell(b.out(spend(1.25, "k1")))
	b.quiet()
	return b
}

func TestBudgetCounts(t *testing.T) {
	b := limited(t)
	b.now = b.now.Add(time.Minute)
	b.tell(b.out(spend(0.25, "k1")))
	got := b.state.record.Budget
	if want := (messages.Spent{Micros: 250_000, Tokens: 16, Work: time.Minute, Turns: 1}); got.Spent != want {
		t.Errorf("%+v, want %+v", got.Spent, want)
	}
	if got.TurnWork != 0 || !got.WorkingSince.IsZero() || got.Day != "2026-11-20" {
		t.Errorf("%+v", got)
	}
	if usd := b.state.record.Usage.CostUSD; usd != 0.25 {
		t.Errorf("$%v", usd)
	}
}

// The time in which the agent waits for a person, and the time between turns, are no work.
func TestWorkingTime(t *testing.T) {
	b := limited(t)
	b.now = b.now.Add(time.Minute)
	b.tell(b.out(asks("q1", "Bash")))
	b.now = b.now.Add(time.Hour)
	b.tell(permission.Decided{PermissionDecided: messages.PermissionDecided{
		Answer: messages.AnswerPermission{Session: sessionA, Client: "bob", Request: "q1", Decision: messages.AllowOnce}, By: "bob", At: b.now,
	}})
	b.now = b.now.Add(2 * time.Minute)
	if got := b.state.record.Budget.Now(b.now).Work; got != 3*time.Minute {
		t.Errorf("%s in the turn", got)
	}
	b.tell(b.out(spend(0, "k1")))
	b.now = b.now.Add(time.Hour)
	if got := b.state.record.Budget.Now(b.now).Work; got != 3*time.Minute {
		t.Errorf("%s", got)
	}
}

// A turn that ends without a daemon is as long as the agent reports; its cost is counted once.
func TestBudgetSurvivesTheDaemon(t *testing.T) {
	b := limited(t)
	b.now = b.now.Add(10 * time.Hour)
	b.crash()
	b.tell(b.adopted())
	end := spend(0.5, "k1")
	end.Usage.Duration = 5 * time.Minute
	b.tell(b.out(end))
	want := messages.Spent{Micros: 500_000, Tokens: 16, Work: 5 * time.Minute, Turns: 1}
	if got := b.state.record.Budget.Spent; got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	b.crash()
	if got := b.state.record.Budget.Spent; got != want {
		t.Errorf("after another crash: %+v", got)
	}
}

// A turn that is cut off and continued is one turn, with one part of unknown cost.
func TestBudgetOfCutOffTurn(t *testing.T) {
	b := limited(t)
	b.now = b.now.Add(time.Minute)
	b.tell(b.exit(137))
	if got, want := b.state.record.Budget.Spent, (messages.Spent{Work: time.Minute, Unknown: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	b.tell(restartDue{1})
	b.tell(b.up())
	b.tell(b.out(begun()))
	b.now = b.now.Add(time.Minute)
	b.tell(b.out(spend(0.25, "k1")))
	if got, want := b.state.record.Budget.Spent, (messages.Spent{Micros: 250_000, Tokens: 16, Work: 2 * time.Minute, Turns: 1, Unknown: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// A turn that was cut off beyond the budget waits like a message.
func TestBudgetHoldsCutOffTurn(t *testing.T) {
	b := limited(t)
	minute := time.Minute
	b.tell(messages.SetBudget{Session: sessionA, Work: &minute})
	b.now = b.now.Add(time.Hour)
	b.tell(b.exit(137))
	if b.raise() == nil || b.state.active() {
		t.Fatalf("%+v", b.state.record.Budget)
	}
	b.tell(recall.Answer{Run: 1, Known: map[string]bool{}, Found: true})
	b.tell(restartDue{1})
	if b.raise() == nil || b.state.active() {
		t.Fatalf("%+v", b.state.record.Budget)
	}
	b.answers(*b.raise(), messages.AllowOnce)
	if !b.state.active() || b.state.record.Budget.Limit.Work != 61*time.Minute {
		t.Errorf("%+v, active %v", b.state.record.Budget, b.state.active())
	}
}

// A turn that runs is not interrupted; a message that comes meanwhile waits.
func TestBudgetLetsTheTurnEnd(t *testing.T) {
	b := limited(t)
	tiny := uint64(1)
	b.tell(b.out(spend(0.5, "k1")))
	b.tell(input("ann", "k2"))
	b.tell(b.out(took("k2")...))
	b.tell(messages.SetBudget{Session: sessionA, Micros: &tiny})
	b.quiet()
	b.tell(input("ann", "k3"))
	if said := strings.Join(b.quiet(), "\n"); strings.Contains(said, "interrupt") || strings.Contains(said, "write k3") || b.raise() == nil {
		t.Error(said)
	}
	b.tell(b.out(spend(0.5, "k2")))
	if b.state.record.Budget.Spent.Turns != 2 || len(b.state.inputs) != 1 {
		t.Errorf("%+v", b.state.record.Budget)
	}
}

// People are told once that most of the budget is used.
func TestBudgetNear(t *testing.T) {
	b := limited(t)
	b.tell(b.out(spend(0.8, "k1")))
	if said := strings.Join(b.quiet(), "\n"); strings.Count(said, "BUDGET_NEAR") == 0 {
		t.Error(said)
	}
	b.tell(input("ann", "k2"))
	b.tell(b.out(took("k2")...))
	b.tell(b.out(spend(0.1, "k2")))
	if said := strings.Join(b.quiet(), "\n"); strings.Contains(said, "BUDGET_NEAR") {
		t.Error(said)
	}
}

func TestNewSessionsGetABudget(t *testing.T) {
	b := newBench(t)
	b.state.options.SessionBudget = messages.BudgetLimit{Tokens: 7}
	b.tell(start("ann"))
	if got := b.state.record.Budget; got.Limit.Tokens != 7 || got.Step.Tokens != 7 {
		t.Errorf("%+v", got)
	}
	b = newBench(t)
	b.state.options.SessionBudget = messages.BudgetLimit{Tokens: 7}
	m := start("ann")
	m.Budget = &messages.BudgetLimit{Micros: 3}
	b.tell(m)
	if got := b.state.record.Budget.Limit; got != (messages.BudgetLimit{Micros: 3}) {
		t.Errorf("%+v", got)
	}
}

func TestBudgetBounds(t *testing.T) {
	b := turning(t)
	much := uint64(messages.MaxBudgetMicros + 1)
	b.tell(messages.SetBudget{Session: sessionA, Micros: &much})
	if said := strings.Join(b.quiet(), "\n"); !strings.Contains(said, "invalid") || !b.state.record.Budget.Limit.IsZero() {
		t.Error(said)
	}
}
