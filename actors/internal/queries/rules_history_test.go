package queries

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/google/go-cmp/cmp"

	"betcode/actors/internal/encode"
	"betcode/actors/internal/rules"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// The calls of a history are reported when they end, with their outcome and the verdict of
// the rules.
func TestCallHistory(t *testing.T) {
	set, _ := rules.New(rules.Rule{Effect: rules.Allow, Text: "Bash(ls *)"}, rules.Rule{Effect: rules.Deny, Text: "Bash(rm *)"})
	var reported []string
	h := callHistory{set: set, found: func(c messages.TestedCall) error {
		reported = append(reported, fmt.Sprintf("%d %s %s by %q: %s %v", c.Seq, c.Tool, c.Was, c.By, c.Effect, c.Rules))
		return nil
	}}
	seq := messages.Seq(0)
	take := func(events ...*pb.AgentEvent) {
		for _, e := range events {
			seq++
			if err := h.take(encode.Event(e, sessionA, seq, dawn)); err != nil {
				t.Fatal(err)
			}
		}
	}
	call := func(id, command string) *pb.AgentEvent {
		input, err := structpb.NewStruct(map[string]any{"command": command})
		if err != nil {
			t.Fatal(err)
		}
		return &pb.AgentEvent{Event: &pb.AgentEvent_ToolCallStart{ToolCallStart: &pb.ToolCallStart{ToolId: id, ToolName: "Bash", Input: input}}}
	}
	result := func(id string) *pb.AgentEvent {
		return &pb.AgentEvent{Event: &pb.AgentEvent_ToolCallResult{ToolCallResult: &pb.ToolCallResult{ToolId: id}}}
	}
	asked := func(id, request string) *pb.AgentEvent {
		return &pb.AgentEvent{Event: &pb.AgentEvent_PermissionRequest{PermissionRequest: &pb.PermissionRequest{RequestId: request, ToolUseId: id}}}
	}
	allowed := func(request, by string) *pb.AgentEvent {
		return &pb.AgentEvent{Event: &pb.AgentEvent_PermissionResolved{PermissionResolved: &pb.PermissionResolved{
			RequestId: request, Decision: pb.PermissionDecision_ALLOW_ONCE, ResolvedBy: by, Reason: "client",
		}}}
	}
	take(call("a", "ls"), call("b", "rm x"), asked("b", "p1"), result("a"), call("c", "make"),
		allowed("p1", "ann"),
		result("b"), result("b"), asked("c", "p2"), call("d", "ls -l"), call("d", "ls -a"))
	if err := h.reportAll(); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`1 Bash not asked by "": allow [allow Bash(ls *)]`,
		`2 Bash ALLOW_ONCE by "ann": deny [deny Bash(rm *)]`,
		`5 Bash unanswered by "": none []`,
		`11 Bash not asked by "": allow [allow Bash(ls *)]`,
	}
	if !slices.Equal(reported, want) || h.calls != len(want) {
		t.Errorf("%d calls\n%s", h.calls, cmp.Diff(want, reported))
	}
	h.found = func(messages.TestedCall) error { return errors.New("gone") }
	for n := range maxOpenCalls {
		take(call(fmt.Sprint(n), "ls"))
	}
	if err := h.take(encode.Event(call("more", "ls"), sessionA, seq+1, dawn)); err == nil || len(h.open) != maxOpenCalls {
		t.Errorf("%v, %d open", err, len(h.open))
	}
}
