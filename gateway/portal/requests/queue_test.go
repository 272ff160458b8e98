package requests

import (
	"testing"

	pb "betcode/proto/betcode/v1"
)

func asks(id string, sequence uint64) *pb.AgentEvent {
	return &pb.AgentEvent{Sequence: sequence, Event: &pb.AgentEvent_PermissionRequest{PermissionRequest: &pb.PermissionRequest{RequestId: id, ToolName: "Bash"}}}
}

func decides(id string, sequence uint64) *pb.AgentEvent {
	return &pb.AgentEvent{Sequence: sequence, Event: &pb.AgentEvent_PermissionResolved{PermissionResolved: &pb.PermissionResolved{RequestId: id}}}
}

// A stream repeats the requests that waited when it began. A request whose decision is in the history does not wait
// again and does not hide others; a new request of the agent does.
func TestRepeatedRequestThatWasDecided(t *testing.T) {
	t.Parallel()
	var q Queue
	q.Event(asks("r1", 1))
	q.Event(decides("r1", 2))
	q.Event(asks("r1", 0))
	if q.Waiting() != 0 {
		t.Error("a decided request waits")
	}
	q.Event(asks("r2", 3))
	if r := q.Next(); r == nil || r.RequestID != "r2" {
		t.Errorf("shown %v", r)
	}
	q.Event(decides("r2", 4))
	q.Event(asks("r1", 5))
	if r := q.Next(); r == nil || r.RequestID != "r1" {
		t.Errorf("asked anew, shown %v", r)
	}
}
