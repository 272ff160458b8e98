package claude

import (
	"slices"

	"betcode/messages"
	betcodev1 "betcode/proto/betcode/v1"
)

// task is a unit of work beside the conversation: a subagent, or a command. Its id is the
// agent_id of a subagent.
type task struct {
	ID          string `json:"id"`
	ToolUse     string `json:"tool_use,omitempty"`
	Kind        string `json:"kind,omitempty"`
	Agent       string `json:"agent,omitempty"` // which kind of subagent
	State       string `json:"state,omitempty"`
	Description string `json:"description,omitempty"`
	Background  bool   `json:"background,omitempty"`
}

const stateRunning = "running"

// task translates the lines about one task. Only the first line has all facts, so they are
// carried.
func (t *translation) task() {
	l := &t.l
	i := slices.IndexFunc(t.s.d.Tasks, func(k task) bool { return k.ID == key(l.TaskID) })
	k := task{ID: key(l.TaskID), State: stateRunning}
	if i >= 0 {
		k = t.s.d.Tasks[i]
	}
	fill(&k.ToolUse, key(l.ToolUse))
	fill(&k.Kind, key(l.TaskType))
	fill(&k.Agent, key(l.AgentType))
	summary, ended := string(l.Summary), false
	switch l.Subtype {
	case "task_started":
		fill(&k.Description, carry(l.Description, maxCarried))
		k.Background = l.Backgrounded
	case "task_progress": // the description is its present activity
		if summary == "" {
			summary = l.Description
		}
	case "task_updated":
		if l.Patch.Status != "" {
			k.State = key(l.Patch.Status)
		}
		if l.Patch.Description != "" {
			k.Description = carry(l.Patch.Description, maxCarried)
		}
		if l.Patch.Backgrounded != nil {
			k.Background = *l.Patch.Backgrounded
		}
		if summary == "" {
			summary = string(l.Patch.Error)
		}
	case "task_notification":
		ended = true
		k.State = key(l.Status)
		t.s.d.Notified = t.s.d.Notified || k.Background || !t.s.d.Turn
	}
	t.draftTask(k, summary)
	switch {
	case ended:
		t.endTask(k, i)
	case i >= 0:
		t.s.d.Tasks = slices.Clone(t.s.d.Tasks)
		t.s.d.Tasks[i] = k
	default:
		t.s.d.Tasks = with(t.s.d.Tasks, k, maxTasks)
	}
}

// endTask drops a task, and ends the calls that it has left open.
func (t *translation) endTask(k task, i int) {
	if i >= 0 {
		t.s.d.Tasks = without(t.s.d.Tasks, i)
	}
	if k.ToolUse != "" {
		t.endCalls("The task ended before this call gave a result.", false, func(c call) bool { return c.Parent == k.ToolUse })
	}
}

func (t *translation) draftTask(k task, summary string) {
	t.draft(&betcodev1.AgentEvent{Event: &betcodev1.AgentEvent_Task{Task: &betcodev1.TaskUpdate{
		TaskId: k.ID, ToolUseId: k.ToolUse, Kind: k.Kind, State: k.State, Description: k.Description,
		Summary: cut(summary, maxError), Background: k.Background,
	}}})
}

// backgroundTasks handles the list of tasks that outlive turns, which may include tasks
// that began in another process.
func (t *translation) backgroundTasks() {
	ids := make([]string, 0, len(t.l.Tasks))
	for _, ref := range t.l.Tasks {
		ids = append(ids, ref.ID)
		i := slices.IndexFunc(t.s.d.Tasks, func(k task) bool { return k.ID == key(ref.ID) })
		switch {
		case i < 0:
			t.s.d.Tasks = with(t.s.d.Tasks, task{
				ID: key(ref.ID), Kind: key(ref.Type), Agent: key(ref.AgentType), State: stateRunning,
				Description: carry(ref.Description, maxCarried), Background: true,
			}, maxTasks)
		case !t.s.d.Tasks[i].Background:
			t.s.d.Tasks = slices.Clone(t.s.d.Tasks)
			t.s.d.Tasks[i].Background = true
		}
	}
	t.add(BackgroundTasks{IDs: ids})
}

// Subagents returns the subagents that have begun and whose end was not reported,
// oldest first.
func (s State) Subagents() []messages.Subagent {
	var all []messages.Subagent
	for _, k := range s.d.Tasks {
		if k.Agent != "" || k.Kind == "local_agent" {
			all = append(all, messages.Subagent{
				Task: k.ID, ToolUse: k.ToolUse, Type: k.Agent, Description: k.Description, State: k.State, Background: k.Background,
			})
		}
	}
	return all
}

// fill sets what is not set yet.
func fill(to *string, s string) {
	if *to == "" {
		*to = s
	}
}
