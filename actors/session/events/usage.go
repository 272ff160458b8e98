package events

import (
	"time"

	"google.golang.org/protobuf/proto"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/session/budget"
	"betcode/messages"
)

// WithTotal adds to the agent's report on a turn what the session has consumed with it. Other events stay as they are.
func WithTotal(e *pb.AgentEvent, before messages.Budget, at time.Time) *pb.AgentEvent {
	u := e.GetUsage()
	if u == nil {
		return e
	}
	tokens := uint64(u.GetInputTokens()) + uint64(u.GetOutputTokens()) + uint64(u.GetCacheCreationTokens())
	total := budget.Add(before.Now(at), budget.Turn{USD: u.GetCostUsd(), CostKnown: !u.GetCostUnknown(), Tokens: tokens})
	e = proto.CloneOf(e)
	e.GetUsage().Total = &pb.Spending{
		CostMicros: total.Micros, Tokens: total.Tokens, WorkMs: uint64(total.Work / time.Millisecond), Turns: total.Turns, Unknown: total.Unknown,
	}
	return e
}
