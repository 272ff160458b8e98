package claude

import betcodev1 "betcode/proto/betcode/v1"

const (
	modePlan         = "plan"
	toolExitPlanMode = "ExitPlanMode"
)

// mode records the permission mode, and reports a change. A first mode other than plan is
// no change for clients.
func (t *translation) mode(mode string) {
	now := key(mode)
	was := t.s.d.Mode
	if now == "" || now == was {
		return
	}
	t.s.d.Mode = now
	t.add(ModeChanged{Mode: mode})
	if now == modePlan || was == modePlan {
		t.planMode(now == modePlan, "")
	}
}

// announcedPlan shows the plan of a call that asks for approval. Plan mode lasts until the
// approval.
func (t *translation) announcedPlan(tool string, args any) {
	if tool != toolExitPlanMode {
		return
	}
	m, _ := args.(map[string]any)
	if plan := textOf(m["plan"]); plan != "" {
		t.planMode(true, plan)
	}
}

// approvedPlan shows the approved plan, which a person may have edited. The line before has
// changed the mode.
func (t *translation) approvedPlan() {
	m, _ := decodeInput(t.l.ToolUseResult).(map[string]any)
	if plan := textOf(m["plan"]); plan != "" {
		t.planMode(t.s.d.Mode == modePlan, plan)
	}
}

func (t *translation) planMode(active bool, plan string) {
	t.draft(&betcodev1.AgentEvent{Event: &betcodev1.AgentEvent_PlanMode{PlanMode: &betcodev1.PlanModeChange{
		Active: active, Plan: cut(plan, maxPlan),
	}}})
}
