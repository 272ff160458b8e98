package events

import (
	"time"

	pb "betcode/proto/betcode/v1"

	"betcode/messages"
)

// Prompted is a prompt of a repeated message that the session accepts.
func Prompted(r messages.Repetition) *pb.AgentEvent {
	return repeated(&pb.RepeatProgress{IdempotencyKey: r.Key, Iteration: r.Sent, Max: r.Max, State: pb.RepeatState_REPEAT_STATE_PROMPTED})
}

// RepeatEnded is the end of a repetition; reason is for people and may be empty.
func RepeatEnded(r messages.Repetition, how pb.RepeatState, reason string, at time.Time) *pb.AgentEvent {
	return repeated(&pb.RepeatProgress{
		IdempotencyKey: r.Key, Iteration: r.Sent, Max: r.Max, State: how, Reason: reason,
		ElapsedMs: uint64(max(0, at.Sub(r.Since)) / time.Millisecond), //nolint:gosec // not negative
	})
}

func repeated(p *pb.RepeatProgress) *pb.AgentEvent {
	return &pb.AgentEvent{Event: &pb.AgentEvent_Repeat{Repeat: p}}
}
