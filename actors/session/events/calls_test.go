package events

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/claude"
	"betcode/messages"
)

func TestCutOff(t *testing.T) {
	for name, test := range map[string]struct {
		m                  claude.ToolDone
		code, tool, agents string
	}{
		"a command":               {claude.ToolDone{ID: "t", Tool: "Bash"}, "CUT_OFF_TOOL", "Bash", "yes"},
		"a tool":                  {claude.ToolDone{ID: "t", Tool: "Write"}, "CUT_OFF_TOOL", "Write", "unknown"},
		"one without a name":      {claude.ToolDone{ID: "t"}, "CUT_OFF_TOOL", "unknown", "unknown"},
		"a subagent":              {claude.ToolDone{ID: "t", Tool: "Task"}, "CUT_OFF_SUBAGENT", "Task", "no"},
		"a subagent, renamed":     {claude.ToolDone{ID: "t", Tool: "Agent", Parent: "p"}, "CUT_OFF_SUBAGENT", "Agent", "no"},
		"a command of a subagent": {claude.ToolDone{ID: "t", Tool: "Bash", Parent: "p"}, "CUT_OFF_TOOL", "Bash", "no"},
	} {
		n := CutOff(test.m).GetNotice()
		d := n.GetDetails()
		if n.GetCode() != test.code || d["tool"] != test.tool || d["shown_to_agent"] != test.agents || d["tool_id"] != "t" || d["parent_tool_use_id"] != test.m.Parent {
			t.Errorf("%s: %v", name, n)
		}
	}
	long := CutOff(claude.ToolDone{Tool: strings.Repeat("x", 1000)}).GetNotice().GetDetails()["tool"]
	if len(long) > 2*maxTool {
		t.Errorf("%d bytes of a name", len(long))
	}
}

func TestOwnTime(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	decided := func(call string, ago time.Duration) []messages.CallDecided {
		return []messages.CallDecided{{ToolUse: call, At: at.Add(-ago)}}
	}
	for name, test := range map[string]struct {
		decided []messages.CallDecided
		waits   bool
		want    uint32
	}{
		"nobody was asked":               {nil, false, 9000},
		"a person decided 2 s ago":       {decided("t1", 2*time.Second), false, 2000},
		"about another call":             {decided("t2", 2*time.Second), false, 9000},
		"longer ago than the call began": {decided("t1", time.Minute), false, 9000},
		"in the future":                  {decided("t1", -time.Minute), false, 0},
		"it still waits":                 {nil, true, 0},
	} {
		e := &pb.AgentEvent{Timestamp: timestamppb.New(at), Event: &pb.AgentEvent_ToolCallResult{
			ToolCallResult: &pb.ToolCallResult{ToolId: "t1", DurationMs: 9000},
		}}
		OwnTime(e, test.decided, test.waits)
		if got := e.GetToolCallResult().GetDurationMs(); got != test.want {
			t.Errorf("%s: %d ms", name, got)
		}
	}
}
