package requests

import (
	"time"

	"betcode/messages"
)

const opAnswer = "answer permission"

// DecisionKey is the key that the decision about a prompt leaves in the journal.
func DecisionKey(id messages.RequestID) string { return "answer:" + string(id) }

// Decide remembers how a prompt was decided, for clients that answer it later.
func (l *Ledger) Decide(id messages.RequestID, outcome messages.PermissionAnswered) {
	l.decisions = l.decisions.put(string(id), outcome)
}

// Decided returns the decision about a prompt, if it is one of the last.
func (l *Ledger) Decided(id messages.RequestID) (messages.PermissionAnswered, bool) {
	return l.decisions.get(string(id))
}

// Late returns the answer for a client whose answer to a prompt decides nothing any more.
func (l *Ledger) Late(id messages.RequestID) any {
	if outcome, known := l.Decided(id); known {
		return LateAnswer(id, outcome)
	}
	return stale(messages.Errorf(opAnswer, messages.WrongState, "permission request %s is not pending", id), id).
		WithHint("it was answered or withdrawn; list the pending ones")
}

// LateAnswer tells a client what decided a prompt: a duplicate answer succeeds without effect, one after the deadline is
// stale.
func LateAnswer(id messages.RequestID, outcome messages.PermissionAnswered) any {
	if outcome.Decision == messages.DecisionExpired {
		return Expired(id, outcome.At)
	}
	return outcome
}

// Expired tells the sender of an answer that the deadline came first, and when.
func Expired(id messages.RequestID, at time.Time) *messages.Error {
	e := messages.Errorf(opAnswer, messages.WrongState, "permission request %s expired and was denied", id)
	if !at.IsZero() {
		when := at.UTC().Format(time.RFC3339)
		e = messages.Errorf(opAnswer, messages.WrongState, "permission request %s expired at %s and was denied", id, when).
			With("decided_at", when)
	}
	return stale(e, id).With("reason", "expired").WithHint("tell the agent to try again")
}

func stale(e *messages.Error, id messages.RequestID) *messages.Error {
	return e.WithCode(messages.PermissionStale).With("request_id", string(id))
}
