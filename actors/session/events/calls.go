package events

import (
	"cmp"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/texts"
	"betcode/messages"
)

// maxTool bounds the name of a tool in a notice, in characters.
const maxTool = 120

// subagents are the tools that start one, under both of their names.
var subagents = map[string]bool{"Agent": true, "Task": true}

// CutOff tells people of a call without a result whose agent has ended. Agents treat such calls differently by tool: a resumed agent
// sees that the outcome of a command is unknown, but the call of a subagent is hidden from it, so it repeats that (wire notes, section 8).
func CutOff(m claude.ToolDone) *pb.AgentEvent {
	details := map[string]string{"tool": texts.Shorten(cmp.Or(m.Tool, "unknown"), maxTool), "tool_id": m.ID}
	if m.Parent != "" {
		details["parent_tool_use_id"] = m.Parent
	}
	code, message, shown := "CUT_OFF_TOOL", "A call was interrupted; it may have taken effect, and may be made again", "unknown"
	switch {
	case subagents[m.Tool]:
		code, message, shown = "CUT_OFF_SUBAGENT", "A subagent was interrupted; a resumed agent does not see that, and may start it again", "no"
	case m.Parent != "":
		message, shown = "A call of a subagent was interrupted; it may have taken effect, and may be made again", "no"
	case m.Tool == "Bash":
		message, shown = "A command was interrupted; a resumed agent sees that its outcome is unknown", "yes"
	}
	details["shown_to_agent"] = shown
	return Notice(code, message, details)
}

// OwnTime takes the wait for a person out of a tool result, from when calls were decided. A call that still waits when its result
// comes has not run.
func OwnTime(e *pb.AgentEvent, decided []messages.CallDecided, waits bool) {
	result := e.GetToolCallResult()
	for _, c := range decided {
		if c.ToolUse == result.GetToolId() {
			own := max(0, e.GetTimestamp().AsTime().Sub(c.At).Milliseconds())
			result.DurationMs = uint32(min(uint64(own), uint64(result.GetDurationMs()))) //nolint:gosec // the smaller of the two fits
		}
	}
	if waits {
		result.DurationMs = 0
	}
}
