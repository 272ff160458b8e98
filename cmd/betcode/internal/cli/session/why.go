package session

import (
	"strings"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/sessionstate"
	pb "betcode/proto/betcode/v1"
)

// whyOf returns the reason for the state of a session, with the other facts that delay its agent.
func whyOf(s *pb.SessionSummary, state sessionstate.State) string {
	var facts []string
	if state.Reason != "" {
		facts = append(facts, state.Reason)
	}
	if asking := s.GetSlotAsking(); state.Name == sessionstate.Queued && len(asking) > 0 {
		short := make([]string, len(asking))
		for i, id := range asking {
			short[i] = console.ShortID(id)
		}
		facts = append(facts, "agents that wait for an answer: "+strings.Join(short, ", "))
	}
	if s.GetRateLimited() && state.Name != sessionstate.Blocked {
		facts = append(facts, sessionstate.LimitText(s.GetRateLimitedUntil()))
	}
	switch p := s.GetProxied(); {
	case p == nil || p.GetConnected():
	case p.GetEnded() != "":
		facts = append(facts, "ended")
	default:
		facts = append(facts, "its proxy is not connected")
	}
	return strings.Join(facts, "; ")
}
