package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/planfile"
	"betcode/cmd/betcode/internal/plangraph"
	"betcode/messages/plan"
	pb "betcode/proto/betcode/v1"
)

func (p *program) orchestrateCommand() *cli.Command {
	output := &cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "`FORM`: text, json, dot (Graphviz) or mermaid", Value: "text"}
	return &cli.Command{
		Name: "orchestrate", Usage: "check plans: steps that are subagents, each started when those before it are done",
		Subcommands: []*cli.Command{
			{
				Name: "plan", Usage: "check a plan and show its graph; nothing is started", ArgsUsage: "FILE",
				Description: "FILE is YAML, as docs/schemas/plan.schema.json describes it; - is standard input.",
				Flags:       []cli.Flag{output}, Action: simple(p.showPlan),
			},
		},
	}
}

// readPlan reads the plan in a file.
func (p *program) readPlan(name string) (plan.Plan, error) {
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

func (p *program) showPlan(_ context.Context, c *cli.Context) error {
	if err := arguments(c, 1, 1); err != nil {
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
		for _, d := range needs[i] {
			n.DependsOn = append(n.DependsOn, read.Steps[d].ID)
		}
		nodes = append(nodes, n)
	}
	if c.String("output") == "json" {
		return console.WriteJSON(p.Stdout, "betcode.orchestration.plan/v1", requestOf(read))
	}
	return p.printGraph(c.String("output"), nodes)
}

// printGraph prints steps in a form that is no JSON.
func (p *program) printGraph(form string, nodes []plangraph.Node) error {
	switch form {
	case "text":
		for _, line := range plangraph.Lines(nodes, console.Style(p.Terminal.Colour), 200) {
			fmt.Fprintln(p.Stdout, line)
		}
	case "dot":
		fmt.Fprint(p.Stdout, plangraph.DOT(nodes))
	case "mermaid":
		fmt.Fprint(p.Stdout, plangraph.Mermaid(nodes))
	default:
		return exit.Usage(fmt.Errorf("there is no form %q: give text, json, dot or mermaid", form))
	}
	return nil
}

// requestOf returns the request that starts a plan.
func requestOf(read plan.Plan) *pb.CreateOrchestrationRequest {
	out := &pb.CreateOrchestrationRequest{
		Name: read.Name, Strategy: planStrategies[read.Order()], MaxParallel: uint32(read.MaxParallel), OnFailure: planPolicies[read.Policy()], //nolint:gosec // checked: at most 1000
	}
	for _, s := range read.Steps {
		step := &pb.OrchestrationStep{
			Id: s.ID, Name: s.Name, Prompt: s.Prompt, Model: s.Model, WorkingDirectory: s.Directory, AllowedTools: s.Tools, DependsOn: s.DependsOn,
			MaxTurns: int32(s.MaxTurns), WorktreeLock: planLeases[s.Lease], WorktreeId: s.Worktree, TimeoutSeconds: wholeSeconds(s.Timeout), BudgetUsd: s.BudgetUSD, //nolint:gosec // checked: at most 10000
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
