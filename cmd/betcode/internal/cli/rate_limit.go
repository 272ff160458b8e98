package cli

import (
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

// statusWithLimit returns the status of a session for a list.
func statusWithLimit(s *pb.SessionSummary) string {
	switch {
	case !s.GetRateLimited():
		return s.GetStatus()
	case s.GetRateLimitedUntil() == nil:
		return s.GetStatus() + ", rate limited"
	}
	return s.GetStatus() + ", rate limited until " + console.Exact(s.GetRateLimitedUntil())
}
