package session

import (
	"strings"
	"testing"

	"betcode/actors/session/budget"
	"betcode/actors/session/prompts"
	"betcode/messages"
)

// raise is the request to raise the budget that waits; nil if none does.
func (b *bench) raise() *messages.PermissionRecord {
	for _, p := range b.state.prompts.List(prompts.Undecided) {
		if p.Budget != "" {
			return &p
		}
	}
	return nil
}

// At the budget messages are accepted and wait, and a person is asked once.
func TestBudgetAsks(t *testing.T) {
	b := used(t)
	if b.raise() != nil {
		t.Fatal("a request is made although no work waits")
	}
	b.tell(input("ann", "k2"))
	p := b.raise()
	if p == nil || p.Tool != budget.Tool || !strings.Contains(p.Reason, "$1.25") || !strings.Contains(p.Description, "$2.00") {
		t.Fatalf("%+v", p)
	}
	if r := b.state.record; r.Phase != messages.PhaseWaiting || r.Budget.Held != messages.HeldByBudget || len(b.state.inputs) != 1 {
		t.Errorf("%+v", r)
	}
	if said := strings.Join(b.quiet(), "\n"); strings.Contains(said, "write k2") || !strings.Contains(said, "to ann: input k2") {
		t.Error(said)
	}
	b.tell(b.exit(0)) // the agent was parked
	b.crash()
	if again := b.raise(); again == nil || again.Request != p.Request {
		t.Fatalf("after a crash: %+v", again)
	}
	b.quiet()
	b.answers(*p, messages.AllowOnce)
	if got := b.state.record.Budget; got.Limit.Micros != 2_000_000 || got.Held != "" || b.raise() != nil {
		t.Errorf("%+v", got)
	}
	b.tell(b.up())
	if said := strings.Join(b.quiet(), "\n"); !strings.Contains(said, "write k2") {
		t.Errorf("the message is not delivered:\n%s", said)
	}
}

// A refusal leaves the session paused; a person who acts is asked again.
func TestBudgetRefused(t *testing.T) {
	for name, again := range map[string]any{"a message": input("ann", "k3"), "a resumption": messages.ContinueSession{Session: sessionA}} {
		t.Run(name, func(t *testing.T) {
			b := used(t)
			b.tell(input("ann", "k2"))
			b.tell(b.exit(0))
			first := *b.raise()
			b.answers(first, messages.Deny)
			if b.raise() != nil || !b.state.record.Budget.Refused || b.state.record.Budget.Held == "" || b.state.active() {
				t.Fatalf("%+v", b.state.record.Budget)
			}
			b.crash()
			if b.raise() != nil || b.state.active() {
				t.Fatal("a new daemon asks by itself")
			}
			b.tell(again)
			if p := b.raise(); p == nil || p.Request == first.Request {
				t.Fatalf("%+v", p)
			}
		})
	}
}

// What waits is over with its cause.
func TestBudgetRequestIsWithdrawn(t *testing.T) {
	none := uint64(0)
	for name, c := range map[string]struct {
		m       any
		started bool
	}{
		"the budget is lifted": {messages.SetBudget{Session: sessionA, Micros: &none}, true},
		"the work is canceled": {messages.CancelTurn{Session: sessionA, Client: "ann", Force: true}, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := used(t)
			b.tell(input("ann", "k2"))
			b.tell(b.exit(0))
			b.tell(c.m)
			if b.raise() != nil || b.state.record.Budget.Held != "" || b.state.active() != c.started {
				t.Errorf("%+v, active %v", b.state.record.Budget, b.state.active())
			}
			if phase := b.state.record.Phase; (phase == messages.PhaseIdle) == c.started {
				t.Error(phase)
			}
		})
	}
}

// An answer to the daemon's own request changes nothing but the budget.
func TestBudgetAnswerIsNoGrant(t *testing.T) {
	b := used(t)
	b.tell(input("ann", "k2"))
	b.answers(*b.raise(), messages.AllowSession)
	if r := b.state.record; len(r.Grants) != 0 || r.Budget.Limit.Micros != 2_000_000 {
		t.Errorf("%+v", r)
	}
}
