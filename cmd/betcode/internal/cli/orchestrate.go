package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"
	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/planfile"
	"betcode/cmd/betcode/internal/plangraph"
	"betcode/messages/plan"
	pb "betcode/proto/betcode/v1"
)

func (p *program) orchestrateCommand() *cli.Command {
	output := &cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "`FORM`: text, json, dot (Graphviz) or mermaid", Value: "text"}
	step := &cli.StringFlag{Name: "step", Usage: "only the step with this `ID`"}
	return &cli.Command{
		Name: "orchestrate", Usage: "play plans: steps that are subagents, each started when those before it are done",
		Description: "ORCHESTRATION is an id, or the beginning of one.\n" +
			"The feature has to be on: betcode config set feature_flags.subagent_orchestration true",
		Subcommands: []*cli.Command{
			{
				Name: "plan", Usage: "check a plan and show its graph; nothing is started", ArgsUsage: "FILE",
				Description: "FILE is YAML, as docs/schemas/plan.schema.json describes it; - is standard input.",
				Flags:       []cli.Flag{output}, Action: simple(p.showPlan),
			},
			{Name: "schema", Usage: "print the JSON Schema of plans, for editors", Action: simple(p.printSchema)},
			{
				Name: "run", Usage: "start a plan and watch it; Ctrl-C leaves it running", ArgsUsage: "FILE",
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "session", Usage: "on behalf of `SESSION` (default: a new one, in this directory)"},
					&cli.BoolFlag{Name: "detach", Aliases: []string{"d"}, Usage: "print the id and do not watch"},
				},
				Action: p.withClient(1, 1, p.runPlan),
			},
			{
				Name: "watch", Usage: "show an orchestration until it has ended", ArgsUsage: "ORCHESTRATION",
				Flags:  []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "events as JSON, a line for each"}, &cli.Uint64Flag{Name: "from", Usage: "with --json: events after `NUMBER`"}},
				Action: p.withClient(1, 1, p.watchPlan),
			},
			{Name: "list", Aliases: []string{"ls"}, Usage: "list orchestrations, newest first", Flags: []cli.Flag{jsonFlag()}, Action: p.withClient(0, 0, p.listPlans)},
			{
				Name: "show", Usage: "show an orchestration and its steps", ArgsUsage: "ORCHESTRATION",
				Flags: []cli.Flag{output}, Action: p.withClient(1, 1, p.showOrchestration),
			},
			{
				Name: "retry", Usage: "start steps again that failed or were cancelled, and those that they blocked", ArgsUsage: "ORCHESTRATION",
				Flags: []cli.Flag{step}, Action: p.withClient(1, 1, p.retryPlan),
			},
			{
				Name: "cancel", Usage: "cancel the steps that run and start no others", ArgsUsage: "ORCHESTRATION",
				Flags: []cli.Flag{step, &cli.StringFlag{Name: "reason", Usage: "`TEXT` that others see"}}, Action: p.withClient(1, 1, p.cancelPlan),
			},
			{Name: "pause", Usage: "start no further steps; those that run are left", ArgsUsage: "ORCHESTRATION", Action: p.withClient(1, 1, p.pausePlan(true))},
			{Name: "resume", Usage: "let steps start again", ArgsUsage: "ORCHESTRATION", Action: p.withClient(1, 1, p.pausePlan(false))},
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

func (p *program) printSchema(_ context.Context, c *cli.Context) error {
	if err := arguments(c, 0, 0); err != nil {
		return err
	}
	text, err := planfile.Schema()
	if err != nil {
		return err
	}
	_, err = p.Stdout.Write(text)
	return err
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

func (p *program) runPlan(ctx context.Context, c *cli.Context, cl *client.Client) error {
	read, err := p.readPlan(c.Args().First())
	if err != nil {
		return err
	}
	request := requestOf(read)
	request.OrchestrationId = uuid.NewString() // so that a repeated call starts nothing twice
	if ref := c.String("session"); ref != "" {
		if request.ParentSessionId, err = resolve(ctx, cl, ref); err != nil {
			return err
		}
	} else if request.WorkingDirectory, err = os.Getwd(); err != nil {
		return fmt.Errorf("find the working directory: %w", err)
	}
	made, err := cl.Subagent.CreateOrchestration(ctx, request)
	if err != nil {
		return err
	}
	if c.Bool("detach") {
		fmt.Fprintln(p.Stdout, made.GetOrchestrationId())
		return nil
	}
	p.Say("Orchestration %s has begun. Ctrl-C leaves it running; see it again: betcode orchestrate watch %s", made.GetOrchestrationId(), console.ShortID(made.GetOrchestrationId()))
	return p.followPlan(ctx, cl, made.GetOrchestrationId())
}

func (p *program) watchPlan(ctx context.Context, c *cli.Context, cl *client.Client) error {
	id := c.Args().First()
	if !c.Bool("json") {
		return p.followPlan(ctx, cl, id)
	}
	return watchEvents(ctx, cl, id, c.Uint64("from"), func(string) {}, func(e *pb.OrchestrationEvent) error {
		return console.WriteJSONLine(p.Stdout, e)
	})
}

func (p *program) listPlans(ctx context.Context, c *cli.Context, cl *client.Client) error {
	list, err := cl.Subagent.ListOrchestrations(ctx, &pb.ListOrchestrationsRequest{})
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return console.WriteJSON(p.Stdout, "betcode.orchestration.list/v1", list)
	}
	t := p.Table("ID", "NAME", "STATE", "STEPS", "COST", "CREATED")
	for _, o := range list.GetOrchestrations() {
		t.Add(console.ShortID(o.GetId()), o.GetName(), orchestrationState(o), progressOf(o), costOf(o.GetCostUsd()), p.When(o.GetCreatedAt()))
	}
	return t.Write(p.Stdout)
}

func (p *program) showOrchestration(ctx context.Context, c *cli.Context, cl *client.Client) error {
	o, err := cl.Subagent.GetOrchestration(ctx, &pb.GetOrchestrationRequest{OrchestrationId: c.Args().First()})
	if err != nil {
		return err
	}
	switch form := c.String("output"); form {
	case "json":
		return console.WriteJSON(p.Stdout, "betcode.orchestration/v1", o)
	case "text":
		return p.describe(o)
	default:
		return p.printGraph(form, nodesOf(o))
	}
}

// describe prints an orchestration for people.
func (p *program) describe(o *pb.OrchestrationInfo) error {
	t := p.Table()
	for _, row := range [][2]string{
		{"id", o.GetId()},
		{"name", o.GetName()},
		{"state", orchestrationState(o)},
		{"reason", o.GetReason()},
		{"steps", progressOf(o)},
		{"cost", costOf(o.GetCostUsd())},
		{"tokens", tokensOf(o)},
		{"on behalf of", o.GetParentSessionId()},
		{"created", p.When(o.GetCreatedAt())},
	} {
		if row[1] != "" {
			t.Add(row[0], row[1])
		}
	}
	if err := t.Write(p.Stdout); err != nil {
		return err
	}
	fmt.Fprintln(p.Stdout)
	steps := p.Table("", "STEP", "STATUS", "ATTEMPT", "SUBAGENT", "DEPENDS ON", "RESULT")
	for _, s := range o.GetSteps() {
		result, attempt := s.GetErrorMessage(), ""
		if result == "" {
			result = s.GetResultSummary()
		}
		if s.GetAttempt() > 0 {
			attempt = fmt.Sprint(s.GetAttempt())
		}
		steps.Add("", s.GetId(), stepStatus(s), attempt, console.ShortID(s.GetSubagentId()), joined(s.GetDependsOn()), console.Shorten(console.Line(result), 60))
	}
	return steps.Write(p.Stdout)
}

func (p *program) retryPlan(ctx context.Context, c *cli.Context, cl *client.Client) error {
	o, err := cl.Subagent.RetryOrchestration(ctx, &pb.RetryOrchestrationRequest{OrchestrationId: c.Args().First(), StepId: c.String("step")})
	if err != nil {
		return err
	}
	return p.printState(o)
}

func (p *program) cancelPlan(ctx context.Context, c *cli.Context, cl *client.Client) error {
	o, err := cl.Subagent.CancelOrchestration(ctx, &pb.CancelOrchestrationRequest{
		OrchestrationId: c.Args().First(), StepId: c.String("step"), Reason: c.String("reason"),
	})
	if err != nil {
		return err
	}
	return p.printState(o)
}

func (p *program) pausePlan(paused bool) func(context.Context, *cli.Context, *client.Client) error {
	return func(ctx context.Context, c *cli.Context, cl *client.Client) error {
		o, err := cl.Subagent.PauseOrchestration(ctx, &pb.PauseOrchestrationRequest{OrchestrationId: c.Args().First(), Paused: paused})
		if err != nil {
			return err
		}
		return p.printState(o)
	}
}

func (p *program) printState(o *pb.OrchestrationInfo) error {
	_, err := fmt.Fprintf(p.Stdout, "%s: %s, %s\n", o.GetId(), orchestrationState(o), progressOf(o))
	return err
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
