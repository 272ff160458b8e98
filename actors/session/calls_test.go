package session

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

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

// A tool's time is its own: the wait for a person is not in it, also when another daemon
// sees the end; a call that nobody decided has taken none.
func TestToolTimeWithoutTheWait(t *testing.T) {
	result := func(at time.Time, total time.Duration) *pb.AgentEvent {
		return &pb.AgentEvent{Timestamp: timestamppb.New(at), Event: &pb.AgentEvent_ToolCallResult{
			ToolCallResult: &pb.ToolCallResult{ToolId: "t1", DurationMs: uint32(total.Milliseconds())},
		}}
	}
	asked := func(t *testing.T) (*bench, time.Time) {
		b := turning(t)
		began := b.now
		request := asks("p1", "Bash")
		request.ToolUse = "t1"
		b.tell(b.out(request))
		b.tell(lookedAround{request: "p1"})
		b.now = b.now.Add(time.Hour)
		return b, began
	}
	decides := func(b *bench, decision messages.Decision) {
		verdict := won(answer("ann", "p1", decision))
		verdict.At = b.now
		b.tell(verdict)
	}
	ended := func(b *bench, began time.Time) uint32 {
		e := result(b.now, b.now.Sub(began))
		b.tell(b.out(claude.Draft{Event: e}, claude.ToolDone{ID: "t1", Tool: "Bash"}))
		return e.GetToolCallResult().GetDurationMs()
	}
	for name, test := range map[string]struct {
		happens func(b *bench)
		want    uint32
	}{
		"allowed":        {func(b *bench) { decides(b, messages.AllowOnce) }, 2000},
		"denied":         {func(b *bench) { decides(b, messages.Deny) }, 2000},
		"withdrawn":      {func(b *bench) { b.tell(b.out(claude.PermissionWithdrawn{Request: "p1"})) }, 2000},
		"nobody decided": {func(*bench) {}, 0},
		"another daemon": {func(b *bench) {
			decides(b, messages.AllowOnce)
			b.quiet()
			b.crash()
			b.tell(b.adopted())
		}, 2000},
	} {
		t.Run(name, func(t *testing.T) {
			b, began := asked(t)
			test.happens(b)
			b.now = b.now.Add(2 * time.Second)
			if got := ended(b, began); got != test.want {
				t.Errorf("%d ms, want %d", got, test.want)
			}
			if left := b.state.run.CallsDecided; len(left) != 0 {
				t.Errorf("still noted: %v", left)
			}
		})
	}
	t.Run("nobody was asked", func(t *testing.T) {
		b := turning(t)
		began := b.now
		b.now = b.now.Add(3 * time.Second)
		if got := ended(b, began); got != 3000 {
			t.Errorf("%d ms", got)
		}
	})
}
