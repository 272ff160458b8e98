package budget

import "betcode/messages"

// The limit of an agent's cost is an option of its command line, in US dollars. Each process of the agent counts from 0.

// leastCost is the limit of an agent whose session has nothing left. The command line does not accept 0; the agent ends with the first
// answer of the model.
const leastCost = 0.000_001

// CostLeft returns the limit for the next process of an agent: what is left of the session's. 0 is no limit.
func CostLeft(most, spent float64) float64 {
	if most <= 0 {
		return most
	}
	return max(most-spent, leastCost)
}

// CostError refuses a message to a session whose agents have cost all that they may, in US dollars.
func CostError(op string, id messages.SessionID, spent, most float64) *messages.Error {
	return messages.Errorf(op, messages.WrongState, "the session has cost $%.4f, and its budget is $%.4f", spent, most).
		WithCode(messages.BudgetSpent).With("session_id", string(id)).WithHint("begin another session, or fork this one, with a budget of its own")
}
