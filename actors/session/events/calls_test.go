package events

import (
	"strings"
	"testing"

	"betcode/actors/internal/claude"
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
