package budget

import "betcode/messages"

// HeldError refuses what would begin a turn while a budget is used.
func HeldError(op string, id messages.SessionID, why messages.Holding) *messages.Error {
	told, hint := "the budget is used", "raise it: betcode session budget"
	if why == messages.HeldByDay {
		told, hint = "the daemon's budget of the day is used", "answer the request that asks about it, or wait for the next day: betcode fleet status"
	}
	return messages.Errorf(op, messages.WrongState, "%s", told).
		WithCode(messages.BudgetSpent).With("session_id", string(id)).WithHint(hint)
}
