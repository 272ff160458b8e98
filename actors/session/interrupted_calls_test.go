package session

import (
	"testing"

	"google.golang.org/protobuf/proto"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/claude"
	"betcode/messages"
)

// Each call that was cut off is told of, with what the agent will know about it.
func TestCallsThatWereCutOff(t *testing.T) {
	lost := func(id, tool, parent string) claude.ToolDone {
		return claude.ToolDone{ID: id, Tool: tool, Parent: parent, IsError: true, Lost: true}
	}
	b := turning(t)
	b.on(b.out(lost("t1", "Bash", ""), lost("t2", "Agent", ""), lost("t3", "Bash", "t2"), lost("t4", "Write", "")),
		"all: 6 notice CUT_OFF_TOOL, 7 notice CUT_OFF_SUBAGENT, 8 notice CUT_OFF_TOOL, 9 notice CUT_OFF_TOOL")
	b.on(b.out(claude.ToolDone{ID: "t5", Tool: "Bash"}))

	b = turning(t)
	b.tell(b.out(lost("t1", "Bash", ""), lost("t2", "Task", ""), lost("t3", "Bash", "t2"), lost("t4", "Write", "")))
	var shown []string
	for _, e := range last[publish](b).events {
		var event pb.AgentEvent
		if err := proto.Unmarshal(e.Bytes, &event); err != nil {
			t.Fatal(err)
		}
		d := event.GetNotice().GetDetails()
		shown = append(shown, d["tool_id"]+" "+d["tool"]+" "+d["shown_to_agent"])
	}
	want := []string{"t1 Bash yes", "t2 Task no", "t3 Bash no", "t4 Write unknown"}
	if len(shown) != len(want) {
		t.Fatalf("%q", shown)
	}
	for i := range want {
		if shown[i] != want[i] {
			t.Errorf("%q, want %q", shown[i], want[i])
		}
	}

	b = turning(t) // nobody goes on with what was stopped
	b.tell(messages.StopSession{Session: sessionA})
	b.quiet()
	b.on(b.out(lost("t1", "Bash", "")))
}
