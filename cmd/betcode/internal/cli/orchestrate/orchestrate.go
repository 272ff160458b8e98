package orchestrate

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/google/uuid"
	"github.com/urfave/cli/v2"
	"google.golang.org/protobuf/proto"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/output"
	pb "betcode/proto/betcode/v1"
)

// graphForms are the forms of a graph for other programs.
var graphForms = []output.Form{"dot", "mermaid"}

// group is the commands of this package.
type group struct{ *base.Program }

// Command returns the command with its subcommands.
func Command(program *base.Program) *cli.Command {
	p := group{program}
	step := &cli.StringFlag{Name: "step", Usage: "only the step with this `ID`"}
	return &cli.Command{
		Name: "orchestrate", Usage: "play plans: steps that are subagents, each started when those before it are done",
		Description: "ORCHESTRATION is an id, the beginning of one, a name that no other has, or @last: the one created last.\n" +
			"The feature has to be on: betcode config set feature_flags.subagent_orchestration true",
		Subcommands: []*cli.Command{
			{
				Name: "plan", Usage: "check a plan and show its graph; nothing is started", ArgsUsage: "FILE",
				Description: "FILE is YAML, as docs/schemas/plan.schema.json describes it; - is standard input.",
				Flags:       output.OnceFlags(graphForms...), Action: base.Simple(p.showPlan),
			},
			{Name: "schema", Usage: "print the JSON Schema of plans, for editors", Action: base.Simple(p.printSchema)},
			{
				Name: "run", Usage: "start a plan and watch it; Ctrl-C leaves it running", ArgsUsage: "FILE",
				Description: "Without a terminal it ends with exit code 4 when the plan rests at its budget, and leaves the request for a person.",
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "session", Usage: "on behalf of `SESSION` (default: a new one, in this directory)"},
					&cli.BoolFlag{Name: "detach", Aliases: []string{"d"}, Usage: "print the id and do not watch"},
				},
				Action: p.WithClient(1, 1, p.runPlan),
			},
			{
				Name: "watch", Usage: "show an orchestration until it has ended", ArgsUsage: "ORCHESTRATION",
				Description: "With -o, --json or --jq, its events.",
				Flags:       append(output.StreamFlags(), &cli.Uint64Flag{Name: "from", Usage: "with -o, --json or --jq: only events after `NUMBER`"}),
				Action:      p.watchPlan,
			},
			{Name: "list", Aliases: []string{"ls"}, Usage: "list orchestrations, newest first", Flags: output.ListFlags(), Action: p.Shows(0, 0, p.listPlans)},
			{
				Name: "show", Usage: "show an orchestration and its steps", ArgsUsage: "ORCHESTRATION",
				Flags: output.Flags(graphForms...), Action: p.WithClient(1, 1, p.showOrchestration),
			},
			{
				Name: "retry", Usage: "start steps again that failed or were cancelled, and those that they blocked", ArgsUsage: "ORCHESTRATION",
				Flags: []cli.Flag{step}, Action: p.WithClient(1, 1, p.retryPlan),
			},
			{
				Name: "cancel", Usage: "cancel the steps that run and start no others", ArgsUsage: "ORCHESTRATION",
				Flags: []cli.Flag{step, &cli.StringFlag{Name: "reason", Usage: "`TEXT` that others see"}}, Action: p.WithClient(1, 1, p.cancelPlan),
			},
			{Name: "pause", Usage: "start no further steps; those that run are left", ArgsUsage: "ORCHESTRATION", Action: p.WithClient(1, 1, p.pausePlan(true))},
			{Name: "resume", Usage: "let steps start again", ArgsUsage: "ORCHESTRATION", Action: p.WithClient(1, 1, p.pausePlan(false))},
		},
	}
}

func (p group) runPlan(ctx context.Context, c *cli.Context, cl *client.Client) error {
	read, err := p.readPlan(c.Args().First())
	if err != nil {
		return err
	}
	request := requestOf(read)
	request.OrchestrationId = uuid.NewString() // so that a repeated call starts nothing twice
	if ref := c.String("session"); ref != "" {
		if request.ParentSessionId, err = base.Resolve(ctx, cl, ref); err != nil {
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
	return p.followPlan(ctx, cl, made.GetOrchestrationId(), !p.Terminal.Out)
}

func (p group) watchPlan(c *cli.Context) error {
	options, err := output.ParseStream(c)
	if err != nil || options.Form != output.Auto || options.ListFields {
		return p.Streams(1, 1, p.planStream, func(ctx context.Context, c *cli.Context, cl *client.Client, show func(proto.Message) error) error {
			o, err := cl.Subagent.GetOrchestration(ctx, &pb.GetOrchestrationRequest{OrchestrationId: c.Args().First()})
			if err != nil {
				return err
			}
			return watchEvents(ctx, cl, o.GetId(), c.Uint64("from"), func(string) {}, func(e *pb.OrchestrationEvent) error { return show(e) })
		})(c)
	}
	return p.WithClient(1, 1, func(ctx context.Context, c *cli.Context, cl *client.Client) error {
		return p.followPlan(ctx, cl, c.Args().First(), false)
	})(c)
}

func (p group) listPlans(ctx context.Context, _ *cli.Context, cl *client.Client) (output.View, error) {
	list, err := cl.Subagent.ListOrchestrations(ctx, &pb.ListOrchestrationsRequest{})
	return output.View{
		Schema: "betcode.orchestration.list/v2", Value: list, List: "orchestrations", Columns: console.Columns("ID", "NAME", "STATE", "STEPS", "COST", "CREATED"),
		Row: func(i int, l output.Look) []string {
			o := list.GetOrchestrations()[i]
			return []string{console.ShortID(o.GetId()), o.GetName(), orchestrationState(o), progressOf(o), costOf(o.GetCostUsd()), l.When(o.GetCreatedAt())}
		},
	}, err
}

func (p group) showOrchestration(ctx context.Context, c *cli.Context, cl *client.Client) error {
	options, err := output.Parse(c, graphForms...)
	if err != nil {
		return err
	}
	return output.Printer{Console: p.Console, Options: options}.Run(ctx, func() (output.View, error) {
		o, err := cl.Subagent.GetOrchestration(ctx, &pb.GetOrchestrationRequest{OrchestrationId: c.Args().First()})
		return output.View{Schema: "betcode.orchestration/v2", Value: o, Text: func(w io.Writer, l output.Look) error {
			if slices.Contains(graphForms, options.Form) {
				return p.printGraph(w, options.Form, nodesOf(o))
			}
			return describe(w, l, o)
		}}, err
	})
}

// describe prints an orchestration for people.
func describe(w io.Writer, l output.Look, o *pb.OrchestrationInfo) error {
	t := l.Sheet()
	for _, row := range [][2]string{
		{"id", o.GetId()},
		{"name", o.GetName()},
		{"state", orchestrationState(o)},
		{"reason", o.GetReason()},
		{"steps", progressOf(o)},
		{"cost", costOf(o.GetCostUsd())},
		{"tokens", tokensOf(o)},
		{"consumed", base.Spending(o.GetBudget().GetSpent())},
		{"budget", budgetText(o)},
		{"on behalf of", o.GetParentSessionId()},
		{"created", l.When(o.GetCreatedAt())},
	} {
		if row[1] != "" {
			t.Add(row[0], row[1])
		}
	}
	if err := t.Write(w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	steps := l.Table("", "STEP", "STATE", "ATTEMPT", "SUBAGENT", "DEPENDS ON", "RESULT")
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
	return steps.Write(w)
}

func (p group) retryPlan(ctx context.Context, c *cli.Context, cl *client.Client) error {
	o, err := cl.Subagent.RetryOrchestration(ctx, &pb.RetryOrchestrationRequest{OrchestrationId: c.Args().First(), StepId: c.String("step")})
	if err != nil {
		return err
	}
	return p.printState(o)
}

func (p group) cancelPlan(ctx context.Context, c *cli.Context, cl *client.Client) error {
	o, err := cl.Subagent.CancelOrchestration(ctx, &pb.CancelOrchestrationRequest{
		OrchestrationId: c.Args().First(), StepId: c.String("step"), Reason: c.String("reason"),
	})
	if err != nil {
		return err
	}
	return p.printState(o)
}

func (p group) pausePlan(paused bool) func(context.Context, *cli.Context, *client.Client) error {
	return func(ctx context.Context, c *cli.Context, cl *client.Client) error {
		o, err := cl.Subagent.PauseOrchestration(ctx, &pb.PauseOrchestrationRequest{OrchestrationId: c.Args().First(), Paused: paused})
		if err != nil {
			return err
		}
		return p.printState(o)
	}
}

func (p group) printState(o *pb.OrchestrationInfo) error {
	_, err := fmt.Fprintf(p.Stdout, "%s: %s, %s\n", o.GetId(), orchestrationState(o), progressOf(o))
	return err
}
