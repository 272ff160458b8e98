package main

import (
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
)

// replaced is a turn whose first text and call are taken back.
func replaced() []*pb.AgentEvent {
	text := func(block, words string) *pb.AgentEvent {
		return &pb.AgentEvent{Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{BlockId: block, Text: words, IsComplete: true}}}
	}
	return []*pb.AgentEvent{
		{Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{Content: "go", IdempotencyKey: "k"}}},
		text("m0/0", "Stays too."),
		{Event: &pb.AgentEvent_ToolCallStart{ToolCallStart: &pb.ToolCallStart{ToolId: "t1", ToolName: "Bash", Description: "gone"}}},
		{Event: &pb.AgentEvent_ToolCallResult{ToolCallResult: &pb.ToolCallResult{ToolId: "t1", Output: "gone"}}},
		text("m1/0", "Goes away."),
		text("m2/0", "Stays."),
		{Event: &pb.AgentEvent_Retraction{Retraction: &pb.Retraction{
			BlockIds: []string{"m1/0", "m9/0"}, ToolIds: []string{"t1", "t9"}, Reason: "superseded",
		}}},
		{Event: &pb.AgentEvent_TurnComplete{TurnComplete: &pb.TurnComplete{InputKeys: []string{"k"}}}},
	}
}

// TestRunPrintsWhatStands checks that the answer of a run leaves out what was taken back.
func TestRunPrintsWhatStands(t *testing.T) {
	at := &turn{key: "k"}
	for _, e := range replaced() {
		at.event(e)
	}
	if got := at.text.String(); got != "Stays." {
		t.Errorf("got %q", got)
	}
}

// TestScreenNamesWhatWasTakenBack checks that a screen that only grows says which of
// its texts no longer count, and mentions nothing that it never showed.
func TestScreenNamesWhatWasTakenBack(t *testing.T) {
	var out strings.Builder
	r := &renderer{w: &out}
	for _, e := range replaced() {
		r.event(e)
	}
	if want := `(the agent took back "Goes away.", its call of Bash)`; strings.Count(out.String(), want) != 1 {
		t.Errorf("no %s in\n%s", want, &out)
	}
	out.Reset()
	r.event(&pb.AgentEvent{Event: &pb.AgentEvent_Retraction{Retraction: &pb.Retraction{BlockIds: []string{"m2/0"}}}}) // of a turn that is over
	if out.Len() > 0 {
		t.Errorf("says %q of what it no longer knows", &out)
	}
}

// TestExportLeavesOutWhatWasTakenBack checks the same of an export.
func TestExportLeavesOutWhatWasTakenBack(t *testing.T) {
	var out strings.Builder
	m := &markdown{w: &out}
	for i, e := range replaced() {
		e.Sequence = uint64(i + 1)
		if err := m.Event(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.End(); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); strings.Contains(got, "oes away") || strings.Contains(got, "gone") || !strings.Contains(got, "Stays too.") || !strings.Contains(got, "Stays.\n") {
		t.Errorf("got\n%s", got)
	}
}
