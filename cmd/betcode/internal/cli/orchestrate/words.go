package orchestrate

import (
	"fmt"
	"strings"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/plangraph"
	pb "betcode/proto/betcode/v1"
)

func joined(ids []string) string { return strings.Join(ids, ", ") }

func stepStatus(s *pb.OrchestrationStepInfo) string {
	return console.Enum(s.GetStatus(), "STEP_STATUS_")
}

func orchestrationState(o *pb.OrchestrationInfo) string {
	state := console.Enum(o.GetState(), "ORCHESTRATION_STATE_")
	if o.GetPaused() && o.GetState() == pb.OrchestrationState_ORCHESTRATION_STATE_RUNNING {
		return "paused"
	}
	return state
}

// progressOf counts the steps in each state.
func progressOf(o *pb.OrchestrationInfo) string {
	text := fmt.Sprintf("%d of %d completed", o.GetCompletedSteps(), o.GetTotalSteps())
	if n := o.GetRunningSteps(); n > 0 {
		text += fmt.Sprintf(", %d running", n)
	}
	if n := o.GetFailedSteps(); n > 0 {
		text += fmt.Sprintf(", %d failed", n)
	}
	return text
}

// costOf is an amount of money; empty for none.
func costOf(usd float64) string {
	if usd == 0 {
		return ""
	}
	return fmt.Sprintf("$%.4f", usd)
}

func tokensOf(o *pb.OrchestrationInfo) string {
	if o.GetInputTokens() == 0 && o.GetOutputTokens() == 0 {
		return ""
	}
	return fmt.Sprintf("%d read, %d written", o.GetInputTokens(), o.GetOutputTokens())
}

func nodesOf(o *pb.OrchestrationInfo) []plangraph.Node {
	var nodes []plangraph.Node
	for _, s := range o.GetSteps() {
		nodes = append(nodes, plangraph.Node{
			ID: s.GetId(), Name: s.GetName(), DependsOn: s.GetDependsOn(), Status: stepStatus(s), Merge: s.GetMergeInto(), Attempt: s.GetAttempt(), Note: s.GetErrorMessage(),
		})
	}
	return nodes
}

// budgetText describes the budget of the plan, and why steps wait.
func budgetText(o *pb.OrchestrationInfo) string {
	b := o.GetBudget()
	text := base.Limits(b.GetLimit())
	switch {
	case b.GetRefused():
		text += "; it was not raised, and no step starts: betcode orchestrate resume " + console.ShortID(o.GetId())
	case b.GetHeld() != "":
		text += "; used, and no step starts until it is raised: betcode permission list"
	case b.GetState() == "near":
		text += "; 80 % are used"
	}
	return text
}
