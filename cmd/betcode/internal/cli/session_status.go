package cli

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/cmd/betcode/internal/console"
	pb "betcode/proto/betcode/v1"
)

// limitText returns until when the account is rate limited.
func limitText(until *timestamppb.Timestamp) string {
	if until == nil {
		return "rate limited until a turn succeeds (the agent does not say when that may be)"
	}
	return "rate limited until " + console.Exact(until)
}

// budgetUsed says for people which budget a session waits for.
var budgetUsed = map[string]string{
	"budget": "its budget is used", "budget_parent": "the budget of a session above is used", "budget_day": "the budget of the day is used",
}

// statusOf returns the status of a session in a list, with what delays its agent.
func statusOf(s *pb.SessionSummary) string {
	status := s.GetStatus()
	if used := budgetUsed[s.GetWaiting()]; used != "" {
		status += ", " + used
	}
	if place := s.GetSlotPlace(); place > 0 {
		status += ", waits for a slot ("
		if reason := s.GetSlotReason(); reason != "" && reason != "busy" {
			status += waitText(reason) + "; "
		}
		status += fmt.Sprintf("place %d", place)
		if asking := s.GetSlotAsking(); len(asking) > 0 {
			short := make([]string, len(asking))
			for i, id := range asking {
				short[i] = console.ShortID(id)
			}
			status += "; waiting for an answer: " + strings.Join(short, ", ")
		}
		status += ")"
	}
	switch {
	case !s.GetRateLimited():
		return status
	case s.GetRateLimitedUntil() == nil:
		return status + ", rate limited"
	}
	return status + ", rate limited until " + console.Exact(s.GetRateLimitedUntil())
}
