package session

import (
	"cmp"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/texts"
)

// Agents treat interrupted calls differently by tool: a resumed agent sees that the outcome of a command is unknown, but the call
// of a subagent is hidden from it, so it repeats that (wire notes, section 8). The session reports each call to people.

// subagents are the tools that start one, under both of their names.
var subagents = map[string]bool{"Agent": true, "Task": true}

// callInterrupted reports what is known of a call without a result whose agent has ended.
func (t *transition) callInterrupted(m claude.ToolDone) {
	if t.s.endsForGood() {
		return // no agent continues it
	}
	details := map[string]string{"tool": texts.Shorten(cmp.Or(m.Tool, "unknown"), maxShown), "tool_id": m.ID}
	if m.Parent != "" {
		details["parent_tool_use_id"] = m.Parent
	}
	switch {
	case subagents[m.Tool]:
		details["shown_to_agent"] = "no"
		t.notice("CUT_OFF_SUBAGENT", "A subagent was interrupted; a resumed agent does not see that, and may start it again", details)
	case m.Parent != "":
		details["shown_to_agent"] = "no"
		t.notice("CUT_OFF_TOOL", "A call of a subagent was interrupted; it may have taken effect, and may be made again", details)
	case m.Tool == "Bash":
		details["shown_to_agent"] = "yes"
		t.notice("CUT_OFF_TOOL", "A command was interrupted; a resumed agent sees that its outcome is unknown", details)
	default:
		details["shown_to_agent"] = "unknown"
		t.notice("CUT_OFF_TOOL", "A call was interrupted; it may have taken effect, and may be made again", details)
	}
}
