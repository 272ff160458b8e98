package talk

import (
	"testing"

	pb "betcode/proto/betcode/v1"
)

func TestBehindOthers(t *testing.T) {
	input := func(key string, sequence uint64) *pb.PendingInput {
		return &pb.PendingInput{IdempotencyKey: key, Sequence: sequence}
	}
	for name, c := range map[string]struct {
		pending []*pb.PendingInput
		behind  bool
	}{
		"alone":            {[]*pb.PendingInput{input("own", 7)}, false},
		"first":            {[]*pb.PendingInput{input("own", 7), input("later", 9)}, false},
		"second":           {[]*pb.PendingInput{input("earlier", 5), input("own", 7)}, true},
		"in another order": {[]*pb.PendingInput{input("own", 7), input("earlier", 5)}, true},
		"not pending":      {[]*pb.PendingInput{input("earlier", 5)}, false},
		"none":             {nil, false},
	} {
		if got := behindOthers(c.pending, "own"); got != c.behind {
			t.Errorf("%s: behind = %t", name, got)
		}
	}
}

// TestDecides: the policy decides requests of the session after the message was accepted, each once, and no budget.
func TestDecides(t *testing.T) {
	request := func(tool string) *pb.AgentEvent {
		return &pb.AgentEvent{Sequence: 9, Event: &pb.AgentEvent_PermissionRequest{PermissionRequest: &pb.PermissionRequest{RequestId: "r", ToolName: tool}}}
	}
	question := &pb.AgentEvent{Sequence: 9, Event: &pb.AgentEvent_UserQuestion{UserQuestion: &pb.UserQuestion{QuestionId: "q/2"}}}
	volatile, forwarded := request("Bash"), request("Bash")
	volatile.Volatile, forwarded.Sequence = true, 0
	for name, c := range map[string]struct {
		turn    turn
		event   *pb.AgentEvent
		request string
	}{
		"request":   {turn{accepted: true, policy: denyAll}, request("Bash"), "r"},
		"question":  {turn{accepted: true, policy: allowAll}, question, "q"},
		"decided":   {turn{accepted: true, policy: denyAll, decided: map[string]bool{"r": true}}, request("Bash"), ""},
		"budget":    {turn{accepted: true, policy: allowAll}, request(budgetTool), ""},
		"person":    {turn{accepted: true, policy: askPerson}, request("Bash"), ""},
		"before":    {turn{policy: denyAll}, request("Bash"), ""},
		"volatile":  {turn{accepted: true, policy: denyAll}, volatile, ""},
		"forwarded": {turn{accepted: true, policy: denyAll}, forwarded, ""},
		"text":      {turn{accepted: true, policy: denyAll}, &pb.AgentEvent{Sequence: 9}, ""},
	} {
		if got := c.turn.decides(c.event); got != c.request {
			t.Errorf("%s: decides %q, want %q", name, got, c.request)
		}
	}
}

// A request that was answered meanwhile is not decided later.
func TestUnassigned(t *testing.T) {
	request := func(id string) *pb.AgentEvent {
		return &pb.AgentEvent{Sequence: 9, Event: &pb.AgentEvent_PermissionRequest{PermissionRequest: &pb.PermissionRequest{RequestId: id}}}
	}
	u := unassigned{events: []*pb.AgentEvent{request("a"), request("b")}}
	u.resolve("")
	u.resolve("a")
	if left := u.take(); len(left) != 1 || requestOf(left[0]) != "b" || u.events != nil {
		t.Errorf("left: %v", left)
	}
}
