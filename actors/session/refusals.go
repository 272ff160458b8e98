package session

import (
	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/disk"
	"betcode/actors/internal/act"
	"betcode/messages"
)

// budgetSpent refuses a message to a session that has spent its budget. It reports
// whether it did.
func (t *transition) budgetSpent(from *actor.PID, op string) bool {
	budget, spent := t.s.agentOptions().MaxBudgetUSD, t.s.record.Usage.CostUSD
	if budget == 0 || spent < budget {
		return false
	}
	t.then(act.Reply{To: from, With: messages.Errorf(op, messages.WrongState, "the session has cost $%.4f, and its budget is $%.4f", spent, budget).
		WithCode(messages.BudgetSpent).With("session_id", string(t.s.id)).WithHint("begin another session, or fork this one, with a budget of its own")})
	return true
}

// heldBack refuses what would begin a turn while the budget is used.
func (t *transition) heldBack(from *actor.PID, op string) bool {
	why, hint := "the budget is used", "raise it: betcode session budget"
	switch t.s.held() {
	case "":
		return false
	case messages.HeldByDay:
		why, hint = "the daemon's budget of the day is used", "answer the request that asks about it, or wait for the next day: betcode fleet status"
	case messages.HeldByBudget, messages.HeldByFamily, messages.HeldByPlan:
	}
	t.then(act.Reply{To: from, With: messages.Errorf(op, messages.WrongState, "%s", why).
		WithCode(messages.BudgetSpent).With("session_id", string(t.s.id)).WithHint(hint)})
	return true
}

// known reports whether the session exists; if not, the refusal is on its way.
func (t *transition) known(from *actor.PID, op string) bool {
	if t.s.exists && !t.s.deleting() {
		return true
	}
	t.then(act.Reply{To: from, With: messages.Errorf(op, messages.NotFound, "session %s does not exist", t.s.id).
		WithCode(messages.SessionNotFound).With("session_id", string(t.s.id)).WithHint("list the sessions, or start a new one")})
	t.maybeRetire()
	return false
}

// maybeRetire offers the end of the actor when nothing needs it: everything it knows is in the journal.
func (t *transition) maybeRetire() {
	if t.s.unneeded() {
		t.then(retire{})
	}
}

// roomFor refuses a new turn while the disk is full.
func (t *transition) roomFor(from *actor.PID, op string) bool {
	if t.now.full {
		t.then(act.Reply{To: from, With: disk.FullError(op, t.s.id, t.s.options.Runs)})
	}
	return !t.now.full
}

// streamRefused returns why a session takes no further stream of a client, nil if it does.
func (s *state) streamRefused(m messages.Attach) error {
	refusal := s.clients.Admits(m.Client, m.Observer)
	if refusal == nil {
		return nil
	}
	of := "are attached to the session"
	if refusal.OfClient {
		of = "of this client are attached to the session"
	}
	return messages.Errorf("attach", messages.Exhausted, "%d streams %s", refusal.Streams, of).
		With("session_id", string(s.id)).WithHint("close some of them, and attach again")
}

// poolExhausted refuses what needs an agent while none may be started, nor wait.
func (s *state) poolExhausted(op string) *messages.Error {
	return messages.Errorf(op, messages.Exhausted, "all agents are busy and the queue is full").
		WithCode(messages.PoolExhausted).With("session_id", string(s.id)).
		WithHint("wait for a session to end its turn, or allow more agents at once")
}
