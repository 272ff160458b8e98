package digest

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

var noon = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

func edit(id, tool, file string) *pb.AgentEvent {
	return &pb.AgentEvent{Event: &pb.AgentEvent_ToolCallStart{ToolCallStart: &pb.ToolCallStart{
		ToolId: id, ToolName: tool, Input: &structpb.Struct{Fields: map[string]*structpb.Value{"file_path": structpb.NewStringValue(file)}},
	}}}
}

func returned(id string, failed bool) *pb.AgentEvent {
	return &pb.AgentEvent{Event: &pb.AgentEvent_ToolCallResult{ToolCallResult: &pb.ToolCallResult{ToolId: id, IsError: failed}}}
}

func resolved(id, reason, by string, decision pb.PermissionDecision) *pb.AgentEvent {
	return &pb.AgentEvent{Event: &pb.AgentEvent_PermissionResolved{PermissionResolved: &pb.PermissionResolved{RequestId: id, Reason: reason, ResolvedBy: by, Decision: decision, SupersededBy: "r9"}}}
}

func TestFold(t *testing.T) {
	var f Fold
	if !f.Quiet() {
		t.Error("nothing is not quiet")
	}
	for i, e := range []*pb.AgentEvent{
		{Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{Content: "go"}}},
		{Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{Thinking: true, ThinkingText: "hm"}}},
		{Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{Text: "It \n"}}},
		{Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{Text: "works.", IsComplete: true}}},
		edit("1", "Edit", "/a"), returned("1", false),
		edit("2", "Write", "/b"), returned("2", true),
		edit("3", "Read", "/c"), returned("3", false),
		edit("4", "Write", "/a"), returned("4", false),
		{Event: &pb.AgentEvent_PermissionRequest{PermissionRequest: &pb.PermissionRequest{RequestId: "r1", Description: "touch x"}}},
		resolved("r1", "client", "ann@host", pb.PermissionDecision_ALLOW_ONCE),
		resolved("r0", "expired", "deadline", pb.PermissionDecision_DENY),
		{Event: &pb.AgentEvent_PermissionRequest{PermissionRequest: &pb.PermissionRequest{RequestId: "r2", Description: "rm x"}}},
		resolved("r2", "superseded", "agent", 0),
		{Event: &pb.AgentEvent_Usage{Usage: &pb.UsageReport{CostUsd: 0.25}}},
		{Event: &pb.AgentEvent_Usage{Usage: &pb.UsageReport{CostUsd: 9, CostUnknown: true}}},
		{Event: &pb.AgentEvent_TurnComplete{TurnComplete: &pb.TurnComplete{}}},
		{Event: &pb.AgentEvent_TurnComplete{TurnComplete: &pb.TurnComplete{IsError: true, Error: "no more"}}},
		{Event: &pb.AgentEvent_Notice{Notice: &pb.Notice{Code: "N"}}},
		{Event: &pb.AgentEvent_Error{Error: &pb.ErrorEvent{Code: "E"}}},
		{Event: &pb.AgentEvent_Notice{Notice: &pb.Notice{Code: "N"}}},
	} {
		e.Timestamp = timestamppb.New(noon)
		f.Add(messages.Seq(i+7), e)
	}
	want := messages.SessionDigest{
		First: 7, Last: 30, LastAt: noon, Messages: 1, Turns: 2, Failed: 1, LastError: "no more", CostUSD: 0.25, Files: []string{"/a"}, FilesTotal: 1,
		Decisions: []messages.DigestDecision{{Request: "touch x", Outcome: "allowed", By: "ann@host", At: noon}, {Outcome: "expired", By: "deadline", At: noon}},
		Decided:   2, Undecided: 1, LastText: "It works.", Notices: []string{"N", "E"},
	}
	if diff := cmp.Diff(want, f.Digest()); diff != "" || f.Quiet() {
		t.Error(diff)
	}
}

// What is kept of a session without end is bounded.
func TestFoldIsBounded(t *testing.T) {
	var f Fold
	for i := range 1000 {
		id := string(rune('a' + i))
		f.Add(messages.Seq(i+1), edit(id, "Edit", "/"+id))
		f.Add(messages.Seq(i+1), returned(id, false))
		f.Add(messages.Seq(i+1), resolved(id, "client", "c", pb.PermissionDecision_DENY))
		f.Add(messages.Seq(i+1), edit("open"+id, "Edit", "/"+id))
		f.Add(messages.Seq(i+1), &pb.AgentEvent{Event: &pb.AgentEvent_PermissionRequest{PermissionRequest: &pb.PermissionRequest{RequestId: id + "r"}}})
		f.Add(messages.Seq(i+1), &pb.AgentEvent{Event: &pb.AgentEvent_Notice{Notice: &pb.Notice{Code: id}}})
		f.Add(messages.Seq(i+1), &pb.AgentEvent{Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{Text: strings.Repeat("x", 1000)}}})
	}
	d := f.Digest()
	if len(d.Files) != maxFiles || len(d.Decisions) != maxDecisions || len(d.Notices) != maxNotices || d.Undecided != maxOpen || len(f.calls) > maxOpen || f.text.Len() > 2000 {
		t.Errorf("%d files, %d decisions, %d notices, %d undecided, %d calls, %d bytes", len(d.Files), len(d.Decisions), len(d.Notices), d.Undecided, len(f.calls), f.text.Len())
	}
}
