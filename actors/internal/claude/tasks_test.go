package claude

import (
	"slices"
	"testing"

	"betcode/messages"
)

// Only the lines about tasks, one after the other, determine which subagents run;
// background commands are none.
func TestSubagents(t *testing.T) {
	foreground := messages.Subagent{Task: "a1", ToolUse: "t1", Type: "Explore", Description: "Look around", State: "running"}
	background := messages.Subagent{Task: "a2", Type: "general-purpose", Description: "Wait", State: "running", Background: true}
	moved, done := foreground, foreground
	moved.Background = true
	done.Background, done.State = true, "completed"
	var s State
	for _, step := range []struct {
		line string
		want []messages.Subagent
	}{
		{`{"type":"system","subtype":"task_started","task_id":"b1","task_type":"local_bash","description":"make"}`, nil},
		{`{"type":"system","subtype":"task_started","task_id":"a1","tool_use_id":"t1","task_type":"local_agent","subagent_type":"Explore","description":"Look around","is_backgrounded":false}`, []messages.Subagent{foreground}},
		{`{"type":"system","subtype":"task_progress","task_id":"a1","tool_use_id":"t1","description":"Reading x"}`, []messages.Subagent{foreground}},
		{`{"type":"system","subtype":"task_updated","task_id":"a1","patch":{"is_backgrounded":true}}`, []messages.Subagent{moved}},
		{`{"type":"system","subtype":"background_tasks_changed","tasks":[{"task_id":"a1","task_type":"local_agent"},{"task_id":"a2","task_type":"local_agent","subagent_type":"general-purpose","description":"Wait"}]}`, []messages.Subagent{moved, background}},
		{`{"type":"system","subtype":"task_updated","task_id":"a1","patch":{"status":"completed"}}`, []messages.Subagent{done, background}},
		{`{"type":"system","subtype":"task_notification","task_id":"a1","tool_use_id":"t1","status":"completed","summary":"done"}`, []messages.Subagent{background}},
	} {
		s, _ = Translate(s, []byte(step.line), recorded)
		s, err := ParseState(s.Marshal())
		if got := s.Subagents(); err != nil || !slices.Equal(got, step.want) {
			t.Errorf("after %s:\n%+v, %v", step.line, got, err)
		}
	}
	if s, _ = EndRun(s, recorded); len(s.Subagents()) > 0 {
		t.Errorf("of a process that has ended: %+v", s.Subagents())
	}
}
