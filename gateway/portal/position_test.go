package portal

import (
	"testing"

	"betcode/gateway/portal/lines"
	pb "betcode/proto/betcode/v1"
)

// A stream repeats, after its history, the requests that waited when it began. A request that the history decides is
// not shown to pages that join the feed later, and does not hide others.
func TestPositionForgetsDecidedRequests(t *testing.T) {
	t.Parallel()
	permission := func(sequence uint64) *pb.AgentEvent {
		return &pb.AgentEvent{Sequence: sequence, Event: &pb.AgentEvent_PermissionRequest{PermissionRequest: &pb.PermissionRequest{RequestId: "r"}}}
	}
	question := func(sequence uint64, id string) *pb.AgentEvent {
		return &pb.AgentEvent{Sequence: sequence, Event: &pb.AgentEvent_UserQuestion{UserQuestion: &pb.UserQuestion{QuestionId: id}}}
	}
	resolved := func(sequence uint64, id string) *pb.AgentEvent {
		return &pb.AgentEvent{Sequence: sequence, Event: &pb.AgentEvent_PermissionResolved{PermissionResolved: &pb.PermissionResolved{RequestId: id}}}
	}
	p := position{writer: lines.New("s")}
	for i, step := range []struct {
		event *pb.AgentEvent
		asked int
	}{
		{permission(1), 1},
		{resolved(2, "r"), 0},
		{permission(0), 0},
		{question(3, "q/0"), 1},
		{question(4, "q/1"), 2},
		{resolved(5, "q"), 0},
		{question(0, "q/0"), 0},
		{question(0, "q/1"), 0},
		{permission(0), 0},
		{permission(6), 1}, // the agent asks anew
		{permission(0), 1},
	} {
		p.next(step.event)
		if got := len(p.asked); got != step.asked {
			t.Fatalf("step %d: %d requests wait, want %d", i, got, step.asked)
		}
	}
	copied := p.clone()
	copied.next(resolved(7, "r"))
	if p.next(permission(0)); len(p.asked) != 1 || p.decided.Late(permission(0)) {
		t.Error("a clone shares the decisions of its original")
	}
}
