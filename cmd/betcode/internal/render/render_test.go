package render

import (
	"bytes"
	"strings"
	"testing"

	"betcode/cmd/betcode/internal/eventtest"
	pb "betcode/proto/betcode/v1"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// TestRendererKnowsEveryEvent: an event that the API has is shown on purpose, or
// left out on purpose.
func TestRendererKnowsEveryEvent(t *testing.T) {
	fields := (&pb.AgentEvent{}).ProtoReflect().Descriptor().Oneofs().ByName("event").Fields()
	silent := map[protoreflect.Name]bool{"permission_request": true, "user_question": true, "todo_update": true, "turn_complete": true, "text_delta": true, "retraction": true}
	for i := range fields.Len() {
		e := &pb.AgentEvent{}
		m := e.ProtoReflect()
		m.Set(fields.Get(i), m.NewField(fields.Get(i)))
		var out bytes.Buffer
		r := NewRenderer(&out, false, true)
		r.session, r.model = "x", "" // so that an empty SessionInfo is news
		r.Event(e)
		if name := fields.Get(i).Name(); out.Len() == 0 != silent[name] {
			t.Errorf("%s shows %q", name, &out)
		}
	}
}

func TestRenderer(t *testing.T) {
	delta := func(block, text string, complete bool) *pb.AgentEvent {
		return &pb.AgentEvent{Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{BlockId: block, Text: text, IsComplete: complete}}}
	}
	var out bytes.Buffer
	r := NewRenderer(&out, false, false)
	r.Typed("mine")
	for _, e := range []*pb.AgentEvent{
		{Event: &pb.AgentEvent_SessionInfo{SessionInfo: &pb.SessionInfo{SessionId: "s", Model: "opus"}}},
		{Sequence: 1, Event: &pb.AgentEvent_SessionInfo{SessionInfo: &pb.SessionInfo{SessionId: "s", Model: "opus"}}},
		{Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{Content: "mine", IdempotencyKey: "mine"}}},
		{Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{Content: "theirs\ntoo", IdempotencyKey: "other"}}},
		delta("1", "Let me ", false), delta("1", "see.", true),
		{Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{Text: "hm", Thinking: true}}},
		eventtest.Call("Bash", "ls -l"),
		{Event: &pb.AgentEvent_ToolCallResult{ToolCallResult: &pb.ToolCallResult{Output: "1\n2\n3\n4\n5\n6\n7\n8\n"}}},
		delta("2", "half", false),
		{Event: &pb.AgentEvent_Error{Error: &pb.ErrorEvent{Message: "no\x1b"}}},
		{ParentToolUseId: "t", Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{Text: "a subagent"}}},
		{Event: &pb.AgentEvent_Usage{Usage: &pb.UsageReport{InputTokens: 1, OutputTokens: 2, CostUsd: 0.5, DurationMs: 1500}}},
		{Event: &pb.AgentEvent_TurnComplete{TurnComplete: &pb.TurnComplete{IsError: true, Error: "overloaded"}}},
		{Event: &pb.AgentEvent_Run{Run: &pb.RunEvent{State: pb.RunState_RUN_STATE_ADOPTED, Pid: 7}}},
	} {
		r.Event(e)
	}
	want := `session s · opus
> theirs
  too
Let me see.
●` + ` Bash  ls -l
    1
    2
    3
    4
    5
    6
    … 2 more lines
half
error: no\x1b
1 tokens in, 2 out, $0.5000, 1.5s
the turn failed: overloaded
the agent (pid 7) was taken over by a new daemon
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
}

// The agent reports the same plan, and that plan mode is over, several times; a person reads them once.
func TestPlanOnce(t *testing.T) {
	var out strings.Builder
	r := NewRenderer(&out, false, false)
	for _, p := range []*pb.PlanModeChange{
		{Active: true}, {Active: true, Plan: "a plan"}, {}, {Plan: "a plan"}, {Active: true}, {Active: true, Plan: "a plan"}, {Active: true, Plan: "a better plan"}, {},
	} {
		r.Event(&pb.AgentEvent{Event: &pb.AgentEvent_PlanMode{PlanMode: p}})
	}
	if want := "plan mode\na plan\nplan mode is over\nplan mode\na plan\na better plan\nplan mode is over\n"; out.String() != want {
		t.Errorf("written:\n%s\nwant:\n%s", out.String(), want)
	}
}
