package orchestration

import (
	"betcode/messages"
)

// view returns the view of clients, with the steps if steps is set.
func (s *state) view(steps bool) messages.OrchestrationView {
	v := messages.OrchestrationView{
		ID: s.ID, Name: s.Plan.Name, Parent: s.Parent, Client: s.Client, Strategy: s.Plan.Order(), State: s.phase, Paused: s.paused, Reason: s.reason,
		CreatedAt: s.CreatedAt, EndedAt: s.ended, Head: s.head, Total: len(s.steps), Completed: s.done, Failed: s.failed, Running: s.running, Usage: s.usage,
		Limit: s.allowance, Refused: s.refused,
	}
	if s.restored {
		v.Reason = "restored from a backup, it waits to be resumed"
	}
	if s.asking || s.refused {
		v.Held = messages.HeldByPlan
	}
	if !steps {
		return v
	}
	for i, step := range s.steps {
		p := s.Plan.Steps[i]
		out := messages.OrchestrationStepView{
			ID: p.ID, Name: p.Name, Status: step.status, Attempt: step.attempt, Subagent: step.subagent, Summary: step.summary, Error: step.problem,
			StartedAt: step.started, Usage: step.usage, Branch: p.Branch, Conflicts: step.conflicts,
		}
		if p.Merge != nil {
			out.MergeInto = p.Merge.Into
		}
		if over(step.status) {
			out.EndedAt = step.ended
		}
		for _, n := range s.needs[i] {
			out.DependsOn = append(out.DependsOn, s.Plan.Steps[n].ID)
		}
		v.Steps = append(v.Steps, out)
	}
	return v
}
