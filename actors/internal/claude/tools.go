package claude

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"betcode/messages/toolcall"
	"betcode/messages/visible"
	betcodev1 "betcode/proto/betcode/v1"
)

// call is a tool call that has begun and not ended.
type call struct {
	ID     string `json:"id"`
	Name   string `json:"name,omitempty"`
	Parent string `json:"parent,omitempty"`
	Began  int64  `json:"began,omitempty"` // Unix milliseconds
	Todo   *todo  `json:"todo,omitempty"`  // the change that a call of a Task* tool requests
}

// announce drafts the beginning of a tool call, once per call.
func (t *translation) announce(id, name string, input json.RawMessage, parent string) {
	if slices.ContainsFunc(t.s.d.Calls, func(c call) bool { return c.ID == key(id) }) {
		return
	}
	args := decodeInput(input)
	fields, whole := toStruct(args, len(input))
	if !whole {
		t.s.d.Counters.Truncated++
	}
	t.draftFor(parent, &betcodev1.AgentEvent{Event: &betcodev1.AgentEvent_ToolCallStart{
		ToolCallStart: &betcodev1.ToolCallStart{
			ToolId: short(id), ToolName: short(name), Input: fields, Description: describe(name, args, ""),
		},
	}})
	t.s.d.Calls = with(t.s.d.Calls, call{
		ID: key(id), Name: key(name), Parent: key(parent), Began: t.timestamp().UnixMilli(), Todo: wanted(name, args),
	}, maxCalls)
	t.add(ToolRunning{ID: id, Tool: name, Parent: parent})
	if parent == "" {
		t.add(StatusHint{Status: betcodev1.AgentStatus_EXECUTING_TOOL})
	}
	t.announcedPlan(name, args)
	t.wroteTodos(name, args)
}

// toolResult drafts the result of a tool, and returns the call that it ends.
func (t *translation) toolResult(c *contentBlock) call {
	full := c.Result.String()
	output := cut(full, maxOutput)
	r := &betcodev1.ToolCallResult{ToolId: short(c.ToolUseID), Output: output, IsError: c.IsError}
	if len(output) < len(full) {
		r.Truncated, r.FullBytes = true, uint64(len(full))
		t.s.d.Counters.Truncated++
	}
	ended, known := t.takeCall(c.ToolUseID)
	if known {
		took := t.timestamp().Sub(time.UnixMilli(ended.Began))
		r.DurationMs = clampInt(float64(took.Milliseconds()), ^uint32(0))
	}
	t.draft(&betcodev1.AgentEvent{Event: &betcodev1.AgentEvent_ToolCallResult{ToolCallResult: r}})
	t.add(ToolDone{ID: c.ToolUseID, Tool: ended.Name, Parent: t.l.Parent, IsError: c.IsError, Verdict: t.verdict(c.ToolUseID)})
	return ended
}

// takeCall removes an open call.
func (t *translation) takeCall(id string) (call, bool) {
	i := slices.IndexFunc(t.s.d.Calls, func(c call) bool { return c.ID == key(id) })
	if i < 0 {
		return call{}, false
	}
	c := t.s.d.Calls[i]
	t.s.d.Calls = without(t.s.d.Calls, i)
	return c, true
}

// withdrawCall drafts that a call that was announced will not run.
func (t *translation) withdrawCall(id, name, parent string) {
	if _, open := t.takeCall(id); !open {
		return
	}
	t.draftFor(parent, &betcodev1.AgentEvent{Event: &betcodev1.AgentEvent_ToolCallStart{
		ToolCallStart: &betcodev1.ToolCallStart{ToolId: id, ToolName: name, Withdrawn: true},
	}})
	t.add(ToolDone{ID: id, Tool: name, Parent: parent, IsError: true})
}

// endCalls ends the open calls that which selects, because no line will end them.
func (t *translation) endCalls(because string, lost bool, which func(call) bool) {
	for _, c := range t.s.d.Calls { // takeCall does not write to this list
		if !which(c) {
			continue
		}
		t.takeCall(c.ID)
		t.draftFor(c.Parent, &betcodev1.AgentEvent{Event: &betcodev1.AgentEvent_ToolCallResult{
			ToolCallResult: &betcodev1.ToolCallResult{
				ToolId: c.ID, Output: because, IsError: true,
				DurationMs: clampInt(float64(t.timestamp().UnixMilli()-c.Began), ^uint32(0)),
			},
		}})
		t.add(ToolDone{ID: c.ID, Tool: c.Name, Parent: c.Parent, IsError: true, Lost: lost})
	}
}

// toolProgress drafts a sign of life. Its tool_use_id is made up: the call is in
// parent_tool_use_id.
func (t *translation) toolProgress() {
	t.add(ToolProgress{ID: t.l.Parent, Tool: t.l.ToolName, Elapsed: seconds(t.l.Elapsed)})
	for _, c := range t.s.d.Calls {
		if c.ID == key(t.l.Parent) && c.Parent == "" {
			t.add(StatusHint{Status: betcodev1.AgentStatus_EXECUTING_TOOL})
		}
	}
}

// summaryKeys are the most informative arguments of a call, the best first.
var summaryKeys = []string{
	"command", "file_path", "notebook_path", "pattern", "query", "url", "path", "subject", "skill", "taskId",
	"task_id", "prompt", "plan",
}

// describe returns one line about the effect of a call, from its input. The agent's own
// description follows, marked as its words. For lists and questions, which have no effect,
// the line has their subject.
func describe(tool string, args any, words string) string {
	const long = 200
	m, _ := args.(map[string]any)
	if q := questions(args); tool == toolAskUserQuestion && len(q) > 0 {
		return visible.Line(oneLine(q[0].text, long))
	}
	if listTool(tool) || tool == toolAskUserQuestion {
		for _, k := range summaryKeys {
			if v, _ := m[k].(string); oneLine(v, long) != "" {
				return tool + ": " + visible.Line(oneLine(v, long))
			}
		}
		return visible.Line(oneLine(tool, 64))
	}
	return toolcall.Line(oneLine(tool, 64), m, cmp.Or(words, toolcall.Words(m)))
}

// described returns the line of a request from its record: made by describe, or, in
// journals of older builds, the agent's own description.
func described(p PermissionAsked, args any) string {
	subject := describe(p.Tool, args, " ")
	if first := subject[:min(len(subject), 40)]; p.Description != "" && strings.HasPrefix(p.Description, first) {
		return p.Description
	}
	return describe(p.Tool, args, p.Description)
}

func seconds(f float64) time.Duration { return millis(f * 1000) }

func millis(f float64) time.Duration {
	return time.Duration(clampInt(f, uint64(1<<43))) * time.Millisecond
}
