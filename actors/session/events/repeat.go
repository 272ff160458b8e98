package events

import (
	"time"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/session/repeat"
	"betcode/messages"
)

// repeatStates are the states of the API after a verdict.
var repeatStates = map[repeat.Verdict]pb.RepeatState{
	repeat.Again:     pb.RepeatState_REPEAT_STATE_PROMPTED,
	repeat.Complete:  pb.RepeatState_REPEAT_STATE_COMPLETE,
	repeat.Exhausted: pb.RepeatState_REPEAT_STATE_EXHAUSTED,
	repeat.Failed:    pb.RepeatState_REPEAT_STATE_FAILED,
	repeat.Canceled:  pb.RepeatState_REPEAT_STATE_CANCELLED,
}

// Prompted is a prompt of a repeated message that the session accepts.
func Prompted(r messages.Repetition) *pb.AgentEvent {
	return repeated(&pb.RepeatProgress{IdempotencyKey: r.Key, Iteration: r.Sent, Max: r.Max, State: pb.RepeatState_REPEAT_STATE_PROMPTED})
}

// RepeatEnded is the end of a repetition; reason is for people and may be empty.
func RepeatEnded(r messages.Repetition, how repeat.Verdict, reason string, at time.Time) *pb.AgentEvent {
	return repeated(&pb.RepeatProgress{
		IdempotencyKey: r.Key, Iteration: r.Sent, Max: r.Max, State: repeatStates[how], Reason: reason,
		ElapsedMs: uint64(max(0, at.Sub(r.Since)) / time.Millisecond), //nolint:gosec // not negative
	})
}

func repeated(p *pb.RepeatProgress) *pb.AgentEvent {
	return &pb.AgentEvent{Event: &pb.AgentEvent_Repeat{Repeat: p}}
}
