package fleet

import (
	"math"
	"time"

	"betcode/grpcapi/translate"
	"betcode/grpcapi/wire"
	"betcode/messages"
	"betcode/messages/plan"
	pb "betcode/proto/betcode/v1"
)

// Translation of plans; package plan checks them.

var plannedStrategies = map[pb.OrchestrationStrategy]plan.Strategy{
	pb.OrchestrationStrategy_ORCHESTRATION_STRATEGY_UNSPECIFIED: plan.DAG,
	pb.OrchestrationStrategy_ORCHESTRATION_STRATEGY_PARALLEL:    plan.Parallel,
	pb.OrchestrationStrategy_ORCHESTRATION_STRATEGY_SEQUENTIAL:  plan.Sequential,
	pb.OrchestrationStrategy_ORCHESTRATION_STRATEGY_DAG:         plan.DAG,
}

var strategies = map[plan.Strategy]pb.OrchestrationStrategy{
	plan.Parallel:   pb.OrchestrationStrategy_ORCHESTRATION_STRATEGY_PARALLEL,
	plan.Sequential: pb.OrchestrationStrategy_ORCHESTRATION_STRATEGY_SEQUENTIAL,
	plan.DAG:        pb.OrchestrationStrategy_ORCHESTRATION_STRATEGY_DAG,
}

var failurePolicies = map[pb.FailurePolicy]plan.OnFailure{
	pb.FailurePolicy_FAILURE_POLICY_UNSPECIFIED:     plan.FailDependants,
	pb.FailurePolicy_FAILURE_POLICY_FAIL_DEPENDANTS: plan.FailDependants,
	pb.FailurePolicy_FAILURE_POLICY_CONTINUE:        plan.Continue,
	pb.FailurePolicy_FAILURE_POLICY_STOP_ALL:        plan.StopAll,
}

var plannedLeases = map[pb.WorktreeLock]plan.Lease{
	pb.WorktreeLock_WORKTREE_LOCK_UNSPECIFIED: "",
	pb.WorktreeLock_WORKTREE_LOCK_NONE:        "",
	pb.WorktreeLock_WORKTREE_LOCK_SHARED:      plan.Shared,
	pb.WorktreeLock_WORKTREE_LOCK_EXCLUSIVE:   plan.Exclusive,
}

var orchestrationStates = map[messages.OrchestrationState]pb.OrchestrationState{
	messages.OrchestrationRunning:   pb.OrchestrationState_ORCHESTRATION_STATE_RUNNING,
	messages.OrchestrationStopping:  pb.OrchestrationState_ORCHESTRATION_STATE_STOPPING,
	messages.OrchestrationCompleted: pb.OrchestrationState_ORCHESTRATION_STATE_COMPLETED,
	messages.OrchestrationFailed:    pb.OrchestrationState_ORCHESTRATION_STATE_FAILED,
}

var stepStatuses = map[messages.StepStatus]pb.StepStatus{
	messages.StepPending:    pb.StepStatus_STEP_STATUS_PENDING,
	messages.StepRunning:    pb.StepStatus_STEP_STATUS_RUNNING,
	messages.StepWaiting:    pb.StepStatus_STEP_STATUS_WAITING,
	messages.StepCancelling: pb.StepStatus_STEP_STATUS_CANCELLING,
	messages.StepCompleted:  pb.StepStatus_STEP_STATUS_COMPLETED,
	messages.StepFailed:     pb.StepStatus_STEP_STATUS_FAILED,
	messages.StepBlocked:    pb.StepStatus_STEP_STATUS_BLOCKED,
	messages.StepCancelled:  pb.StepStatus_STEP_STATUS_CANCELLED,
}

func planIn(op string, r *pb.CreateOrchestrationRequest) (plan.Plan, error) {
	strategy, known := plannedStrategies[r.GetStrategy()]
	if !known {
		return plan.Plan{}, wire.Invalid(op, "Use one of the strategies of the API.", "strategy %d is unknown", r.GetStrategy())
	}
	policy, known := failurePolicies[r.GetOnFailure()]
	if !known {
		return plan.Plan{}, wire.Invalid(op, "Use one of the policies of the API.", "on_failure %d is unknown", r.GetOnFailure())
	}
	budget, err := planBudgetIn(op, r.GetBudget())
	if err != nil {
		return plan.Plan{}, err
	}
	if usd := r.GetBudgetUsd(); usd != 0 {
		if !(usd > 0 && usd <= 1e6) || budget.Micros != 0 {
			return plan.Plan{}, wire.Invalid(op, "Give budget.cost_micros alone, at most a million dollars.", "budget_usd %v is no amount, or there is budget.cost_micros too", usd)
		}
		budget.Micros = uint64(math.Round(usd * 1e6))
	}
	out := plan.Plan{Name: r.GetName(), Strategy: strategy, MaxParallel: countIn(r.GetMaxParallel()), OnFailure: policy, Budget: budget}
	for i, s := range r.GetSteps() {
		step, err := stepIn(op, i, s)
		if err != nil {
			return plan.Plan{}, err
		}
		out.Steps = append(out.Steps, step)
	}
	return out, nil
}

func stepIn(op string, i int, s *pb.OrchestrationStep) (plan.Step, error) {
	lease, known := plannedLeases[s.GetWorktreeLock()]
	switch {
	case !known:
		return plan.Step{}, wire.Invalid(op, "Use one of the locks of the API.", "step %d: worktree_lock %d is unknown", i+1, s.GetWorktreeLock())
	case s.GetAutoApproveConfig() != nil && !s.GetAutoApprove():
		return plan.Step{}, wire.Invalid(op, "Set auto_approve, or leave its bounds out.", "step %d: auto_approve_config without auto_approve", i+1)
	}
	budget, err := planBudgetIn(op, s.GetBudget())
	if err != nil {
		return plan.Step{}, err
	}
	out := plan.Step{
		ID: s.GetId(), Name: s.GetName(), Prompt: s.GetPrompt(), Model: s.GetModel(), Directory: s.GetWorkingDirectory(), Worktree: s.GetWorktreeId(),
		Lease: lease, Tools: s.GetAllowedTools(), DependsOn: s.GetDependsOn(), MaxTurns: int(s.GetMaxTurns()), Attempts: countIn(s.GetRetry().GetMaxAttempts()),
		RetryDelay: seconds(s.GetRetry().GetDelaySeconds()), Timeout: seconds(s.GetTimeoutSeconds()), BudgetUSD: s.GetBudgetUsd(),
		Branch: s.GetBranch(), Base: s.GetBase(), Budget: budget,
	}
	if m := s.GetMerge(); m != nil {
		out.Merge = &plan.Merge{Branches: m.GetBranches(), Into: m.GetInto()}
	}
	if s.GetAutoApprove() {
		c := s.GetAutoApproveConfig()
		out.AutoApprove = &plan.AutoApprove{
			Duration: seconds(c.GetDurationSeconds()), PerMinute: countIn(c.GetMaxCallsPerMinute()),
			Queue: c.GetOnExceeded() == pb.RateExceeded_RATE_EXCEEDED_QUEUE, Unfenced: c.GetUnfenced(),
		}
	}
	return out, nil
}

// planBudgetIn translates a budget of a plan or a step.
func planBudgetIn(op string, b *pb.Budget) (plan.Budget, error) {
	limit, err := translate.BudgetIn(op, b)
	if limit == nil {
		return plan.Budget{}, err
	}
	return plan.Budget(*limit), err
}

// countIn converts a count. A count beyond the bounds stays beyond them.
func countIn(n uint32) int { return int(min(n, math.MaxInt32)) }

// seconds converts a number of seconds to a duration.
func seconds(n uint32) time.Duration { return time.Duration(n) * time.Second }
