package render

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	pb "betcode/proto/betcode/v1"
)

func TestMarkdown(t *testing.T) {
	input, err := structpb.NewStruct(map[string]any{"command": "echo '```'"})
	if err != nil {
		t.Fatal(err)
	}
	text := func(block, words string) *pb.AgentEvent {
		return &pb.AgentEvent{Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{BlockId: block, Text: words}}}
	}
	var out strings.Builder
	m := NewMarkdown(&out)
	if err := m.Session(&pb.ShowSessionResponse{Summary: &pb.SessionSummary{Id: "3f2a", Name: "the\nwork", Model: "opus"}}); err != nil {
		t.Fatal(err)
	}
	events := []*pb.AgentEvent{
		{Event: &pb.AgentEvent_SessionInfo{SessionInfo: &pb.SessionInfo{}}},
		{Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{Content: "do it\x1b[2J"}}},
		text("b1", "I will "),
		text("b1", "do it."),
		text("b2", "No, "),
		text("b3", "not at all."),
		{Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{BlockId: "b2", Withdrawn: true}}},
		{Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{BlockId: "b4", Text: "hm", Thinking: true}}},
		{Event: &pb.AgentEvent_ToolCallStart{ToolCallStart: &pb.ToolCallStart{ToolId: "t0", ToolName: "Write"}}},
		{Event: &pb.AgentEvent_ToolCallStart{ToolCallStart: &pb.ToolCallStart{ToolId: "t0", Withdrawn: true}}},
		{Event: &pb.AgentEvent_ToolCallStart{ToolCallStart: &pb.ToolCallStart{ToolId: "t1", ToolName: "Bash", Description: "say it", Input: input}}},
		{Event: &pb.AgentEvent_PermissionRequest{PermissionRequest: &pb.PermissionRequest{ToolName: "Bash", Description: "say it"}}},
		{Event: &pb.AgentEvent_PermissionResolved{PermissionResolved: &pb.PermissionResolved{Decision: pb.PermissionDecision_ALLOW_ONCE, ResolvedBy: "web"}}},
		{ParentToolUseId: "t1", Event: &pb.AgentEvent_Notice{Notice: &pb.Notice{Message: "of a subagent"}}},
		{Event: &pb.AgentEvent_ToolCallResult{ToolCallResult: &pb.ToolCallResult{ToolId: "t1", Output: "```\n", IsError: true}}},
		text("b5", "Done."),
		{Event: &pb.AgentEvent_TurnComplete{TurnComplete: &pb.TurnComplete{StopReason: "end_turn"}}},
		{Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{Content: "thanks"}}},
	}
	for i, e := range events {
		e.Sequence = uint64(i + 3) // 1 and 2 are gone
		if err := m.Event(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.End(); err != nil {
		t.Fatal(err)
	}
	want := `# the work

- Session: 3f2a
- Model: opus
- Cost: $0.0000

*The events 1 to 2 are not in the journal any more.*

## You

do it\x1b[2J

## Agent

I will do it.

**Bash**: echo '` + "```" + `' (the agent says: "say it")

####
echo '###'
####

*Permission asked for Bash: say it*

*allowed by web*

Failed:

####
###
####

Done.

## You

thanks
`
	want = strings.NewReplacer("####", "````", "###", "```").Replace(want) // what a raw string cannot hold
	if got := out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
