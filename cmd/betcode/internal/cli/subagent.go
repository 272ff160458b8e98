package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/output"
	pb "betcode/proto/betcode/v1"
)

func (p *program) subagentCommand() *cli.Command {
	return &cli.Command{
		Name: "subagent", Aliases: []string{"subagents"}, Usage: "spawn, list, watch, message and cancel subagents of a session",
		Description: "A subagent is a session of its own; its agent survives the daemon. ID is the id of its session, or the\n" +
			"beginning of it. The feature has to be on: betcode config set feature_flags.subagent_orchestration true",
		Subcommands: []*cli.Command{
			p.spawnSubagentCommand(),
			{
				Name: "list", Aliases: []string{"ls"}, Usage: "list the subagents of a session, oldest first", ArgsUsage: "[SESSION]",
				Flags: append([]cli.Flag{
					&cli.BoolFlag{Name: "all", Aliases: []string{"a"}, Usage: "those of all sessions"},
					&cli.StringFlag{Name: "state", Aliases: []string{"status"}, Usage: "only those in `STATE`: pending, running, completed, failed or cancelled"},
				}, output.ListFlags()...),
				Action: p.Shows(0, 1, p.listSubagents),
			},
			{
				Name: "watch", Usage: "show what a subagent did and does, up to its end", ArgsUsage: "ID",
				Description: "The exit code is 0 if it completed, and 1 if it failed or was cancelled. With -o, --json or --jq, its events.",
				Flags: append([]cli.Flag{
					&cli.Uint64Flag{Name: "from", Usage: "only what comes after `SEQUENCE`"},
					&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "show thinking and processes too"},
				}, output.StreamFlags()...),
				Action: p.watchSubagent,
			},
			{
				Name: "send", Usage: "give a subagent that has not ended a message", ArgsUsage: "ID TEXT",
				Action: p.WithClient(2, 2, p.sendToSubagent),
			},
			{
				Name: "cancel", Usage: "end a subagent and wait until its agent has gone", ArgsUsage: "ID",
				Flags: append([]cli.Flag{
					&cli.StringFlag{Name: "reason", Usage: "`TEXT` for the record"},
					&cli.BoolFlag{Name: "force", Aliases: []string{"f"}, Usage: "kill its agent at once; otherwise it has ten seconds"},
					&cli.BoolFlag{Name: "cleanup-worktree", Usage: "remove its worktree with everything that is not committed in it"},
				}, output.OnceFlags()...),
				Action: p.WithClient(1, 1, p.cancelSubagent),
			},
			{
				Name: "revoke", Usage: "have a person decide about the calls of an auto-approved subagent from here on", ArgsUsage: "ID REASON",
				Description: "REASON has at least 10 characters.",
				Flags:       append(output.OnceFlags(), &cli.BoolFlag{Name: "terminate", Usage: "end its agent if an approved call runs"}),
				Action:      p.WithClient(2, 2, p.revokeSubagent),
			},
		},
	}
}

func (p *program) spawnSubagentCommand() *cli.Command {
	return &cli.Command{
		Name: "spawn", Usage: "start a subagent of a session and print its id", ArgsUsage: "SESSION PROMPT",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "name", Usage: "`NAME` for people (default: the beginning of the prompt)"},
			&cli.StringFlag{Name: "model", Usage: "`MODEL` (default: that of the session)"},
			&cli.StringFlag{Name: "cwd", Usage: "`DIRECTORY` to work in (default: that of the session)"},
			&cli.StringFlag{Name: "worktree", Usage: "`WORKTREE` to work in"},
			&cli.StringFlag{Name: "lease", Usage: "share the worktree as `MODE`: exclusive, shared or none"},
			&cli.StringSliceFlag{Name: "tool", Usage: "it has only this `TOOL`, as a permission rule names it; may be repeated"},
			&cli.IntFlag{Name: "max-turns", Usage: "at most `N` requests to the model for one message"},
			&cli.StringSliceFlag{Name: "env", Usage: "`NAME=VALUE` for its agent; may be repeated"},
			&cli.DurationFlag{Name: "timeout", Usage: "end it after `LONG`"},
			&cli.Float64Flag{Name: "budget", Usage: "what it may cost, in US `DOLLARS`"},
			&cli.BoolFlag{Name: "auto-approve", Usage: "calls of its tools need no person; it is fenced into its directory"},
			&cli.DurationFlag{Name: "auto-approve-time", Usage: "for `LONG`; then it is ended"},
			&cli.UintFlag{Name: "auto-approve-rate", Usage: "at most `N` calls in a minute"},
			&cli.BoolFlag{Name: "auto-approve-queue", Usage: "calls above the rate wait; otherwise they are denied"},
			&cli.BoolFlag{Name: "unfenced", Usage: "an auto-approved agent may write anywhere"},
			&cli.BoolFlag{Name: "inherit-grants", Usage: "tools that the session was granted are granted to it"},
			&cli.BoolFlag{Name: "forward", Usage: "show its requests to clients of the session too, which may answer them"},
			&cli.BoolFlag{Name: "watch", Usage: "show what it does, up to its end"},
		}, output.OnceFlags()...),
		Action: p.WithClient(2, 2, p.spawnSubagent),
	}
}

var leaseFlags = map[string]pb.WorktreeLock{
	"": pb.WorktreeLock_WORKTREE_LOCK_UNSPECIFIED, "none": pb.WorktreeLock_WORKTREE_LOCK_NONE, "shared": pb.WorktreeLock_WORKTREE_LOCK_SHARED,
	"exclusive": pb.WorktreeLock_WORKTREE_LOCK_EXCLUSIVE,
}

func (p *program) spawnSubagent(ctx context.Context, c *cli.Context, cl *client.Client) error {
	for _, name := range []string{"timeout", "auto-approve-time"} {
		if c.Duration(name) < 0 {
			return exit.Usage(fmt.Errorf("--%s %s is negative; give a time such as 90s, 15m or 1h30m", name, c.Duration(name)))
		}
	}
	parent, err := base.Resolve(ctx, cl, c.Args().Get(0))
	if err != nil {
		return err
	}
	request := &pb.SpawnSubagentRequest{
		ParentSessionId: parent, Prompt: c.Args().Get(1), Name: c.String("name"), Model: c.String("model"), AllowedTools: c.StringSlice("tool"),
		MaxTurns: int32(min(max(c.Int("max-turns"), -1), 1<<30)), Env: map[string]string{}, AutoApprove: c.Bool("auto-approve"), WorktreeId: c.String("worktree"), //nolint:gosec // it fits
		TimeoutSeconds: seconds(c.Duration("timeout")), BudgetUsd: c.Float64("budget"), InheritGrants: c.Bool("inherit-grants"),
		ForwardPermissions: c.Bool("forward"),
	}
	if dir := c.String("cwd"); dir != "" {
		if request.WorkingDirectory, err = filepath.Abs(dir); err != nil {
			return fmt.Errorf("find the directory: %w", err)
		}
	}
	var known bool
	if request.WorktreeLock, known = leaseFlags[c.String("lease")]; !known {
		return exit.Usage(fmt.Errorf("--lease %s is unknown: use exclusive, shared or none", console.Line(c.String("lease"))))
	}
	for _, entry := range c.StringSlice("env") {
		name, value, ok := strings.Cut(entry, "=")
		if !ok {
			return exit.Usage(fmt.Errorf("--env %s is not NAME=VALUE", console.Line(entry)))
		}
		request.Env[name] = value
	}
	if c.IsSet("auto-approve-time") || c.IsSet("auto-approve-rate") || c.Bool("auto-approve-queue") || c.Bool("unfenced") {
		if !c.Bool("auto-approve") {
			return exit.Usage(errors.New("--auto-approve-time, --auto-approve-rate, --auto-approve-queue and --unfenced need --auto-approve"))
		}
		request.AutoApproveConfig = &pb.AutoApproveConfig{
			DurationSeconds: seconds(c.Duration("auto-approve-time")), MaxCallsPerMinute: uint32(min(c.Uint("auto-approve-rate"), 1<<30)), Unfenced: c.Bool("unfenced"), //nolint:gosec // it fits
		}
		if c.Bool("auto-approve-queue") {
			request.AutoApproveConfig.OnExceeded = pb.RateExceeded_RATE_EXCEEDED_QUEUE
		}
	}
	spawned, err := cl.Subagent.SpawnSubagent(ctx, request)
	if err != nil {
		return err
	}
	if c.Bool("watch") {
		return p.follow(ctx, cl, &pb.WatchSubagentRequest{SubagentId: spawned.GetSubagentId()}, p.subagentScreen(c))
	}
	return p.Show(c, output.View{
		Schema: "betcode.subagent.spawn/v1", Value: spawned, Name: "subagent_id",
		Text: func(w io.Writer, _ output.Look) error {
			p.Say("Watch it: betcode subagent watch %s", console.ShortID(spawned.GetSubagentId()))
			_, err := fmt.Fprintln(w, spawned.GetSubagentId())
			return err
		},
	})
}

// seconds are those of a duration, rounded up.
func seconds(d time.Duration) uint32 {
	return uint32(min(max((d+time.Second-1)/time.Second, 0), 1<<31)) //nolint:gosec // it fits
}

func (p *program) listSubagents(ctx context.Context, c *cli.Context, cl *client.Client) (output.View, error) {
	request := &pb.ListSubagentsRequest{StatusFilter: c.String("state")}
	switch reference := c.Args().First(); {
	case reference == "" && !c.Bool("all"):
		return output.View{}, exit.Usage(errors.New("name a session, or list all: betcode subagent list --all"))
	case reference != "":
		id, err := base.Resolve(ctx, cl, reference)
		if err != nil {
			return output.View{}, err
		}
		request.ParentSessionId = id
	}
	list, err := cl.Subagent.ListSubagents(ctx, request)
	return output.View{
		Schema: "betcode.subagent.list/v2", Value: list, List: "subagents", Columns: console.Columns("ID", "PARENT", "NAME", "STATE", "CALLS", "APPROVED", "COST", "RESULT"),
		Row: func(i int, l output.Look) []string {
			s := list.GetSubagents()[i]
			result := console.Line(s.GetResultSummary())
			if !l.Wide {
				result = console.Shorten(result, 60)
			}
			return []string{
				console.ShortID(s.GetId()), console.ShortID(s.GetParentSessionId()), s.GetName(), console.Enum(s.GetStatus(), "SUBAGENT_STATUS_"),
				fmt.Sprint(s.GetToolCallsExecuted()), fmt.Sprint(s.GetToolCallsAutoApproved()), fmt.Sprintf("$%.4f", s.GetCostUsd()), result,
			}
		},
	}, err
}

func (p *program) sendToSubagent(ctx context.Context, c *cli.Context, cl *client.Client) error {
	id, err := base.Resolve(ctx, cl, c.Args().First())
	if err != nil {
		return err
	}
	_, err = cl.Subagent.SendToSubagent(ctx, &pb.SendToSubagentRequest{SubagentId: id, Content: c.Args().Get(1)})
	return err
}

func (p *program) cancelSubagent(ctx context.Context, c *cli.Context, cl *client.Client) error {
	id, err := base.Resolve(ctx, cl, c.Args().First())
	if err != nil {
		return err
	}
	r, err := cl.Subagent.CancelSubagent(ctx, &pb.CancelSubagentRequest{
		SubagentId: id, Reason: c.String("reason"), Force: c.Bool("force"), CleanupWorktree: c.Bool("cleanup-worktree"),
	})
	if err != nil {
		return err
	}
	return p.Show(c, output.View{Schema: "betcode.subagent.cancel/v1", Value: r, Name: "final_status", Text: func(w io.Writer, _ output.Look) error {
		if !r.GetCancelled() {
			p.Say("It had ended before.")
		}
		_, err := fmt.Fprintln(w, r.GetFinalStatus())
		return err
	}})
}

func (p *program) revokeSubagent(ctx context.Context, c *cli.Context, cl *client.Client) error {
	id, err := base.Resolve(ctx, cl, c.Args().First())
	if err != nil {
		return err
	}
	r, err := cl.Subagent.RevokeAutoApprove(ctx, &pb.RevokeAutoApproveRequest{SubagentId: id, Reason: c.Args().Get(1), TerminateIfPending: c.Bool("terminate")})
	if err != nil {
		return err
	}
	return p.Show(c, output.View{Schema: "betcode.subagent.revoke/v1", Value: r, Name: "revoked", Text: func(w io.Writer, _ output.Look) (err error) {
		if r.GetRevoked() {
			_, err = fmt.Fprintf(w, "Revoked; %d approved calls had not returned.\n", r.GetPendingToolCalls())
		} else {
			_, err = fmt.Fprintln(w, "It has ended, or had no auto-approve.")
		}
		return err
	}})
}
