package document

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/types/known/structpb"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

func text(id, text string, complete bool) *pb.AgentEvent {
	return &pb.AgentEvent{Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{BlockId: id, Text: text, IsComplete: complete}}}
}

func history(t *testing.T) []*pb.AgentEvent {
	t.Helper()
	input, err := structpb.NewStruct(map[string]any{"file_path": "/src/main.go", "edits": []any{map[string]any{"old": "a", "new": "b"}}, "n": 7.0})
	if err != nil {
		t.Fatal(err)
	}
	return []*pb.AgentEvent{
		{Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{Content: "mend it", Attachments: []*pb.AttachedFile{{Filename: "log.txt"}}}}},
		{Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{BlockId: "0", Thinking: true, ThinkingText: "hm"}}},
		{Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{BlockId: "0", Thinking: true, IsComplete: true}}},
		text("1", "I will ", false),
		{Event: &pb.AgentEvent_ToolCallStart{ToolCallStart: &pb.ToolCallStart{ToolId: "t", ToolName: "MultiEdit", Description: "edit", Input: input}}},
		text("1", "edit.", false),
		text("1", "", true),
		{Event: &pb.AgentEvent_ToolCallResult{ToolCallResult: &pb.ToolCallResult{ToolId: "t", Output: "done"}}},
		text("2", "cut o", false),
		{Event: &pb.AgentEvent_TurnComplete{TurnComplete: &pb.TurnComplete{}}},
		text("3", "gone", false),
		{Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{BlockId: "3", Withdrawn: true}}},
		{Event: &pb.AgentEvent_TurnComplete{TurnComplete: &pb.TurnComplete{}}},
	}
}

func TestBuilder(t *testing.T) {
	var b Builder
	var got []Document
	for i, e := range history(t) {
		got = append(got, b.Add(messages.Seq(i+1), e)...)
	}
	want := []Document{
		{Seq: 1, Kind: messages.SearchUser, Text: "mend it\nlog.txt"},
		{Seq: 2, Kind: messages.SearchThinking, Text: "hm"},
		{Seq: 5, Kind: messages.SearchTool, Tool: "MultiEdit", Path: []string{"/src/main.go"}, Text: "MultiEdit\nedit\nb\na\n/src/main.go"},
		{Seq: 4, Kind: messages.SearchAssistant, Text: "I will edit."},
		{Seq: 8, Kind: messages.SearchResult, Tool: "MultiEdit", Text: "done"},
		{Seq: 9, Kind: messages.SearchAssistant, Text: "cut o"},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Document{}, "At")); diff != "" {
		t.Error(diff)
	}
	if open := b.Open(); open != 0 {
		t.Errorf("event %d is still needed", open)
	}
}

// A builder that begins anew at the event that Open names, and drops what came before, makes the same documents.
func TestBuilderBeginsAnew(t *testing.T) {
	events := history(t)
	var whole []Document
	var b Builder
	for i, e := range events {
		whole = append(whole, b.Add(messages.Seq(i+1), e)...)
	}
	for cut := range events {
		var first, second Builder
		var got []Document
		for i := range cut {
			got = append(got, first.Add(messages.Seq(i+1), events[i])...)
		}
		if open := first.Open(); open > 0 {
			for i := int(open) - 1; i < cut; i++ {
				second.Add(messages.Seq(i+1), events[i])
			}
		}
		for i := cut; i < len(events); i++ {
			got = append(got, second.Add(messages.Seq(i+1), events[i])...)
		}
		if diff := cmp.Diff(whole, got); diff != "" {
			t.Errorf("cut behind event %d: %s", cut, diff)
		}
	}
}
