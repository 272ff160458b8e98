package sessionstate

import (
	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/cmd/betcode/internal/console"
)

// LimitText describes until when an account is rate limited.
func LimitText(until *timestamppb.Timestamp) string {
	if until == nil {
		return "rate limited until a turn succeeds (the agent does not say when that may be)"
	}
	return "rate limited until " + console.Exact(until)
}

// WaitText describes for people why a session waits for a slot.
func WaitText(reason string) string {
	switch reason {
	case "busy":
		return "all agents are busy"
	case "fleet_stopped":
		return "the fleet is stopped"
	case "rate_limit":
		return "the account is rate limited"
	case "memory":
		return "too little memory is available"
	case "":
		return "it starts in a moment"
	}
	return console.Line(reason)
}

// BudgetText names the budget for which a session waits; empty if it waits for none.
func BudgetText(waiting string) string {
	switch waiting {
	case "budget":
		return "its budget is used"
	case "budget_parent":
		return "the budget of a session above is used"
	case "budget_day":
		return "the budget of the day is used"
	}
	return ""
}

// stoppedText names the client that stopped a session.
func stoppedText(client string) string {
	if client == "" {
		return ""
	}
	return "by " + console.Client(client)
}
