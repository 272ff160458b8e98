package fleetmcp

import (
	"context"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	pb "betcode/proto/betcode/v1"
)

// maxSteps bounds the steps of an agent's plan.
const maxSteps = 100

// planInput is what submit_plan takes.
type planInput struct {
	Name        string     `json:"name,omitempty" jsonschema:"for people"`
	Strategy    string     `json:"strategy,omitempty" jsonschema:"in which order steps start; default dag: as depends_on says"`
	MaxParallel uint32     `json:"max_parallel,omitempty" jsonschema:"steps that run at the same time"`
	OnFailure   string     `json:"on_failure,omitempty" jsonschema:"what the failure of a step does to others; default fail_dependants"`
	Steps       []planStep `json:"steps" jsonschema:"the steps"`
}

// planStep is a step of a plan.
type planStep struct {
	ID               string    `json:"id" jsonschema:"names the step within the plan: letters, digits, dots, dashes, underscores"`
	Prompt           string    `json:"prompt,omitempty" jsonschema:"what the subagent is to do; required unless the step merges"`
	Name             string    `json:"name,omitempty" jsonschema:"for people"`
	Model            string    `json:"model,omitempty" jsonschema:"default: that of this session"`
	DependsOn        []string  `json:"depends_on,omitempty" jsonschema:"ids of steps that have to complete before"`
	Branch           string    `json:"branch,omitempty" jsonschema:"the subagent works on this branch, in a worktree of its own; tell it to commit its work"`
	Base             string    `json:"base,omitempty" jsonschema:"where a new branch begins; default: what is checked out here"`
	WorkingDirectory string    `json:"working_directory,omitempty" jsonschema:"absolute path in that of this session"`
	WorktreeID       string    `json:"worktree_id,omitempty" jsonschema:"the worktree it works in"`
	AllowedTools     []string  `json:"allowed_tools,omitempty" jsonschema:"the tools it has, as permission rules name them; default: all"`
	MaxTurns         int32     `json:"max_turns,omitempty" jsonschema:"requests to the model that its prompt may cause"`
	Attempts         uint32    `json:"attempts,omitempty" jsonschema:"how often it is tried; default 1"`
	EndAfterSeconds  uint32    `json:"end_after_seconds,omitempty" jsonschema:"an attempt is ended and fails after so long; default: never"`
	BudgetUSD        float64   `json:"budget_usd,omitempty" jsonschema:"what an attempt may cost, in US dollars"`
	Merge            *planJoin `json:"merge,omitempty" jsonschema:"the step merges branches instead of running a subagent"`
}

// planJoin is the merge of a step.
type planJoin struct {
	Into     string   `json:"into" jsonschema:"the branch"`
	Branches []string `json:"branches,omitempty" jsonschema:"default: those of the steps that it depends on"`
}

func (in planInput) request(id string) *pb.CreateOrchestrationRequest {
	out := &pb.CreateOrchestrationRequest{
		OrchestrationId: id, Name: in.Name, MaxParallel: in.MaxParallel,
		Strategy:  pb.OrchestrationStrategy(pb.OrchestrationStrategy_value["ORCHESTRATION_STRATEGY_"+strings.ToUpper(in.Strategy)]),
		OnFailure: pb.FailurePolicy(pb.FailurePolicy_value["FAILURE_POLICY_"+strings.ToUpper(in.OnFailure)]),
	}
	for _, s := range in.Steps {
		step := &pb.OrchestrationStep{
			Id: s.ID, Prompt: s.Prompt, Name: s.Name, Model: s.Model, DependsOn: s.DependsOn, Branch: s.Branch, Base: s.Base, WorkingDirectory: s.WorkingDirectory,
			WorktreeId: s.WorktreeID, AllowedTools: s.AllowedTools, MaxTurns: s.MaxTurns, TimeoutSeconds: s.EndAfterSeconds, BudgetUsd: s.BudgetUSD,
		}
		if s.Attempts > 0 {
			step.Retry = &pb.StepRetry{MaxAttempts: s.Attempts}
		}
		if s.Merge != nil {
			step.Merge = &pb.StepMerge{Into: s.Merge.Into, Branches: s.Merge.Branches}
		}
		out.Steps = append(out.Steps, step)
	}
	return out
}

func (s *Server) submitPlan(ctx context.Context, r *mcp.CallToolRequest, in planInput) (any, error) {
	request := in.request(s.callID(r, "plan"))
	err := again(ctx, daemonPatience, func(ctx context.Context) error {
		_, err := s.subagents.CreateOrchestration(ctx, request)
		return err
	})
	return map[string]any{"plan_id": request.GetOrchestrationId(), "steps": len(in.Steps)}, err
}

// waitPlanInput is what wait_for_plan takes.
type waitPlanInput struct {
	Plan    string `json:"plan_id" jsonschema:"as submit_plan returned it"`
	Seconds int    `json:"timeout_seconds,omitempty" jsonschema:"how long to wait; default 120"`
}

// planReport is a plan as the agent sees it.
type planReport struct {
	ID       string       `json:"plan_id"`
	State    string       `json:"state"`
	Paused   bool         `json:"paused,omitempty"`
	Reason   string       `json:"reason,omitempty"`
	CostUSD  float64      `json:"cost_usd,omitempty"`
	Steps    []stepReport `json:"steps"`
	TimedOut bool         `json:"timed_out,omitempty"`
}

// stepReport is a step as the agent sees it.
type stepReport struct {
	ID        string   `json:"id"`
	Status    string   `json:"status"`
	Subagent  string   `json:"subagent_id,omitempty"`
	Conflicts []string `json:"conflicts,omitempty"`
	Problem   string   `json:"problem,omitempty"`
	Text      string   `json:"text_written_by_subagent,omitempty"`
}

func planReportOf(o *pb.OrchestrationInfo) planReport {
	out := planReport{
		ID: o.GetId(), State: strings.ToLower(strings.TrimPrefix(o.GetState().String(), "ORCHESTRATION_STATE_")), Paused: o.GetPaused(), Reason: o.GetReason(), CostUSD: o.GetCostUsd(),
	}
	share := maxText/max(len(o.GetSteps()), 1) + maxSummary
	for _, s := range o.GetSteps() {
		out.Steps = append(out.Steps, stepReport{
			ID: s.GetId(), Status: strings.ToLower(strings.TrimPrefix(s.GetStatus().String(), "STEP_STATUS_")), Subagent: s.GetSubagentId(),
			Conflicts: s.GetConflicts(), Problem: cut(s.GetErrorMessage(), share), Text: cut(s.GetResultSummary(), share),
		})
	}
	return out
}

func (s *Server) waitForPlan(ctx context.Context, _ *mcp.CallToolRequest, in waitPlanInput) (any, error) {
	deadline := time.Now().Add(limit(in.Seconds))
	for pause := shortestLook; ; pause = min(pause*5/4, longestLook) {
		var o *pb.OrchestrationInfo
		err := again(ctx, daemonPatience, func(ctx context.Context) (err error) {
			o, err = s.subagents.GetOrchestration(ctx, &pb.GetOrchestrationRequest{OrchestrationId: in.Plan})
			return err
		})
		if err != nil {
			return nil, err
		}
		over := o.GetState() >= pb.OrchestrationState_ORCHESTRATION_STATE_COMPLETED
		if left := time.Until(deadline); !over && left > 0 {
			if err := rest(ctx, min(pause, left)); err != nil {
				return nil, err
			}
			continue
		}
		out := planReportOf(o)
		out.TimedOut = !over
		return out, nil
	}
}

// cancelPlanInput is what cancel_plan takes.
type cancelPlanInput struct {
	Plan   string `json:"plan_id" jsonschema:"as submit_plan returned it"`
	Step   string `json:"step_id,omitempty" jsonschema:"only this step"`
	Reason string `json:"reason,omitempty" jsonschema:"for people"`
}

func (s *Server) cancelPlan(ctx context.Context, _ *mcp.CallToolRequest, in cancelPlanInput) (any, error) {
	var o *pb.OrchestrationInfo
	err := again(ctx, daemonPatience, func(ctx context.Context) (err error) {
		o, err = s.subagents.CancelOrchestration(ctx, &pb.CancelOrchestrationRequest{OrchestrationId: in.Plan, StepId: in.Step, Reason: in.Reason})
		return err
	})
	if err != nil {
		return nil, err
	}
	return planReportOf(o), nil
}
