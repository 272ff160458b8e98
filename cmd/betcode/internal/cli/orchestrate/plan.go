package orchestrate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/output"
	"betcode/cmd/betcode/internal/planfile"
	"betcode/cmd/betcode/internal/plangraph"
	"betcode/messages/plan"
	pb "betcode/proto/betcode/v1"
)

// readPlan reads the plan in a file.
func (p group) readPlan(name string) (plan.Plan, error) {
	base, err := os.Getwd()
	if err != nil {
		return plan.Plan{}, fmt.Errorf("find the working directory: %w", err)
	}
	var text []byte
	if name == "-" {
		text, err = io.ReadAll(io.LimitReader(p.Stdin, planfile.MaxBytes+1))
	} else {
		if base, err = filepath.Abs(filepath.Dir(name)); err != nil {
			return plan.Plan{}, fmt.Errorf("find the directory of the plan: %w", err)
		}
		text, err = readAtMost(name, planfile.MaxBytes+1)
	}
	if err != nil {
		return plan.Plan{}, exit.Usage(fmt.Errorf("read the plan: %w", err))
	}
	read, err := planfile.Read(name, base, text)
	var mistakes *planfile.MistakesError
	if errors.As(err, &mistakes) {
		return read, exit.Usage(fmt.Errorf("the plan has mistakes\n%s", console.Text(mistakes.Error())))
	}
	return read, err
}

func readAtMost(name string, most int64) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, most))
}

func (p group) showPlan(_ context.Context, c *cli.Context) error {
	if err := base.Arguments(c, 1, 1); err != nil {
		return err
	}
	read, err := p.readPlan(c.Args().First())
	if err != nil {
		return err
	}
	var nodes []plangraph.Node
	needs := read.Dependencies()
	for i, step := range read.Steps {
		n := plangraph.Node{ID: step.ID, Name: step.Name}
		if step.Merge != nil {
			n.Merge = step.Merge.Into
		}
		for _, d := range needs[i] {
			n.DependsOn = append(n.DependsOn, read.Steps[d].ID)
		}
		nodes = append(nodes, n)
	}
	options, err := output.Parse(c, graphForms...)
	if err != nil {
		return err
	}
	return output.Printer{Console: p.Console, Options: options}.Print(output.View{
		Schema: "betcode.orchestration.plan/v2", Value: requestOf(read), Name: "name",
		Text: func(w io.Writer, _ output.Look) error { return p.printGraph(w, options.Form, nodes) },
	})
}

func (p group) printSchema(_ context.Context, c *cli.Context) error {
	if err := base.Arguments(c, 0, 0); err != nil {
		return err
	}
	text, err := planfile.Schema()
	if err != nil {
		return err
	}
	_, err = p.Stdout.Write(text)
	return err
}

// printGraph prints steps as text, dot or mermaid.
func (p group) printGraph(w io.Writer, form output.Form, nodes []plangraph.Node) (err error) {
	switch form {
	default:
		for _, line := range plangraph.Lines(nodes, console.Style(p.Terminal.Colour), 200) {
			_, err = fmt.Fprintln(w, line)
		}
	case "dot":
		_, err = fmt.Fprint(w, plangraph.DOT(nodes))
	case "mermaid":
		_, err = fmt.Fprint(w, plangraph.Mermaid(nodes))
	}
	return err
}

// requestOf returns the request that starts a plan.
func requestOf(read plan.Plan) *pb.CreateOrchestrationRequest {
	out := &pb.CreateOrchestrationRequest{
		Name: read.Name, Strategy: planStrategies[read.Order()], MaxParallel: uint32(read.MaxParallel), OnFailure: planPolicies[read.Policy()], //nolint:gosec // checked: at most 1000
	}
	out.Budget = budgetOf(read.Budget)
	for _, s := range read.Steps {
		step := &pb.OrchestrationStep{
			Id: s.ID, Name: s.Name, Prompt: s.Prompt, Model: s.Model, WorkingDirectory: s.Directory, AllowedTools: s.Tools, DependsOn: s.DependsOn,
			MaxTurns: int32(s.MaxTurns), WorktreeLock: planLeases[s.Lease], WorktreeId: s.Worktree, TimeoutSeconds: wholeSeconds(s.Timeout), BudgetUsd: s.BudgetUSD, //nolint:gosec // checked: at most 10000
			Branch: s.Branch, Base: s.Base, Budget: budgetOf(s.Budget),
		}
		if m := s.Merge; m != nil {
			step.Merge = &pb.StepMerge{Branches: m.Branches, Into: m.Into}
		}
		if s.Attempts > 0 || s.RetryDelay > 0 {
			step.Retry = &pb.StepRetry{MaxAttempts: uint32(s.Attempts), DelaySeconds: wholeSeconds(s.RetryDelay)} //nolint:gosec // checked: at most 10
		}
		if a := s.AutoApprove; a != nil {
			step.AutoApprove = true
			step.AutoApproveConfig = &pb.AutoApproveConfig{DurationSeconds: wholeSeconds(a.Duration), MaxCallsPerMinute: uint32(a.PerMinute), Unfenced: a.Unfenced} //nolint:gosec // checked: at most 600
			if a.Queue {
				step.AutoApproveConfig.OnExceeded = pb.RateExceeded_RATE_EXCEEDED_QUEUE
			}
		}
		out.Steps = append(out.Steps, step)
	}
	return out
}

func wholeSeconds(d time.Duration) uint32 { return uint32(d / time.Second) } //nolint:gosec // checked: at most a week

var planStrategies = map[plan.Strategy]pb.OrchestrationStrategy{
	plan.DAG: pb.OrchestrationStrategy_ORCHESTRATION_STRATEGY_DAG, plan.Parallel: pb.OrchestrationStrategy_ORCHESTRATION_STRATEGY_PARALLEL,
	plan.Sequential: pb.OrchestrationStrategy_ORCHESTRATION_STRATEGY_SEQUENTIAL,
}

var planPolicies = map[plan.OnFailure]pb.FailurePolicy{
	plan.FailDependants: pb.FailurePolicy_FAILURE_POLICY_FAIL_DEPENDANTS, plan.Continue: pb.FailurePolicy_FAILURE_POLICY_CONTINUE,
	plan.StopAll: pb.FailurePolicy_FAILURE_POLICY_STOP_ALL,
}

var planLeases = map[plan.Lease]pb.WorktreeLock{
	plan.Shared: pb.WorktreeLock_WORKTREE_LOCK_SHARED, plan.Exclusive: pb.WorktreeLock_WORKTREE_LOCK_EXCLUSIVE,
}

// budgetOf is a budget of a plan or a step; nil for none.
func budgetOf(b plan.Budget) *pb.Budget {
	if b == (plan.Budget{}) {
		return nil
	}
	return &pb.Budget{CostMicros: b.Micros, Tokens: b.Tokens, WorkMs: uint64(b.Work / time.Millisecond)} //nolint:gosec // checked: not negative
}
