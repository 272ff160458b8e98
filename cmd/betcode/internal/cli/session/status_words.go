package session

import (
	"fmt"
	"strings"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/sessionstate"
	pb "betcode/proto/betcode/v1"
)

// statusOf returns the status of a session in a list, with what delays its agent.
func statusOf(s *pb.SessionSummary) string {
	status := s.GetStatus()
	switch p := s.GetProxied(); {
	case p == nil || p.GetConnected():
	case p.GetEnded() != "":
		status += ", ended"
	default:
		status += ", proxy not connected"
	}
	if used := sessionstate.BudgetText(s.GetWaiting()); used != "" {
		status += ", " + used
	}
	if place := s.GetSlotPlace(); place > 0 {
		status += ", waits for a slot ("
		if reason := s.GetSlotReason(); reason != "" && reason != "busy" {
			status += sessionstate.WaitText(reason) + "; "
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
