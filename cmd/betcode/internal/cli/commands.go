package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/urfave/cli/v2"
	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/output"
	pb "betcode/proto/betcode/v1"
)

func (p *program) commandsCommand() *cli.Command {
	limit := &cli.UintFlag{Name: "limit", Usage: "at most `N`, up to 1000", Value: 50}
	return &cli.Command{
		Name: "commands", Usage: "list commands of a session, and run the daemon's own",
		Subcommands: []*cli.Command{
			{
				Name: "list", Usage: "list the daemon's commands, and those of a session's agent", ArgsUsage: "[SESSION]",
				Flags: output.ListFlags(), Action: p.Shows(0, 1, p.commandList),
			},
			{
				Name: "agents", Usage: "list sessions, the subagents they have running and kinds of agents, by name", ArgsUsage: "[BEGINNING]",
				Flags: append(output.ListFlags(), limit), Action: p.Shows(0, 1, p.agentList),
			},
			{
				Name: "path", Usage: "complete a path below a session's working directory", ArgsUsage: "[BEGINNING]",
				Flags:  append(output.ListFlags(), limit, &cli.StringFlag{Name: "session", Aliases: []string{"s"}, Usage: "`SESSION` whose directory it is", Value: "@last"}),
				Action: p.Shows(0, 1, p.pathList),
			},
			{
				Name: "run", Usage: "run one of the daemon's commands", ArgsUsage: "COMMAND [ARGUMENT...]",
				Description: "The command runs in the daemon, changes nothing, and starts nothing. Ends with its exit code.",
				Flags:       []cli.Flag{&cli.StringFlag{Name: "session", Aliases: []string{"s"}, Usage: "`SESSION` that the command is about"}},
				Action:      p.WithClient(1, -1, p.commandRun),
			},
		},
	}
}

func (p *program) commandList(ctx context.Context, c *cli.Context, cl *client.Client) (output.View, error) {
	request := &pb.GetCommandRegistryRequest{}
	if ref := c.Args().First(); ref != "" {
		var err error
		if request.SessionId, err = base.Resolve(ctx, cl, ref); err != nil {
			return output.View{}, err
		}
	}
	r, err := cl.Command.GetCommandRegistry(ctx, request)
	return output.View{
		Schema: "betcode.commands/v1", Value: r, List: "commands", Name: "name", Columns: console.Columns("COMMAND", "WHOSE", "FROM", "WHAT"),
		Row: func(i int, l output.Look) []string {
			e := r.GetCommands()[i]
			return []string{e.GetDisplayName(), console.Enum(e.GetCategory(), "COMMAND_CATEGORY_"), e.GetSource(), l.Cut(e.GetDescription(), 100)}
		},
	}, err
}

func (p *program) agentList(ctx context.Context, c *cli.Context, cl *client.Client) (output.View, error) {
	r, err := cl.Command.ListAgents(ctx, &pb.ListAgentsRequest{Query: c.Args().First(), MaxResults: uint32(c.Uint("limit"))})
	return output.View{
		Schema: "betcode.agents/v1", Value: r, List: "agents", Name: "name", Columns: console.Columns("AGENT", "WHAT", "STATE", "SESSION"),
		Row: func(i int, _ output.Look) []string {
			a := r.GetAgents()[i]
			kind := "session"
			if a.GetKind() == pb.AgentKind_AGENT_KIND_CLAUDE_INTERNAL {
				kind = "kind of agent"
			}
			if a.GetTaskId() != "" {
				kind = "subagent: " + a.GetDescription()
			}
			return []string{a.GetName(), kind, console.Enum(a.GetStatus(), "COMMAND_AGENT_STATUS_"), a.GetSessionId()}
		},
	}, err
}

func (p *program) pathList(ctx context.Context, c *cli.Context, cl *client.Client) (output.View, error) {
	r, err := cl.Command.ListPath(ctx, &pb.ListPathRequest{Query: c.Args().First(), MaxResults: uint32(c.Uint("limit")), SessionId: c.String("session")})
	view := output.View{
		Schema: "betcode.paths/v2", Value: r, List: "entries", Name: "path", Columns: console.Columns("PATH", "KIND", "SIZE", "CHANGED"),
		Row: func(i int, l output.Look) []string {
			e := r.GetEntries()[i]
			name := e.GetPath()
			if e.GetKind() == pb.PathKind_PATH_KIND_DIRECTORY {
				name += "/"
			}
			return []string{name, console.Enum(e.GetKind(), "PATH_KIND_"), strconv.FormatUint(e.GetSize(), 10), l.When(timestamppb.New(time.Unix(e.GetModifiedAt(), 0)))}
		},
	}
	if r.GetTruncated() {
		view.Remark = "There are more; see --limit."
	}
	return view, err
}

func (p *program) commandRun(ctx context.Context, c *cli.Context, cl *client.Client) error {
	stream, err := cl.Command.ExecuteServiceCommand(ctx, &pb.ExecuteServiceCommandRequest{
		Command: c.Args().First(), Args: c.Args().Tail(), SessionId: c.String("session"),
	})
	if err != nil {
		return err
	}
	for {
		r, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return exit.With(exit.Internal, errors.New("the command ended without an exit code"))
		}
		if err != nil {
			return err
		}
		switch out := r.GetOutput().(type) {
		case *pb.ServiceCommandOutput_StdoutLine:
			fmt.Fprintln(p.Stdout, console.Text(out.StdoutLine))
		case *pb.ServiceCommandOutput_StderrLine:
			fmt.Fprintln(p.Stderr, console.Text(out.StderrLine))
		case *pb.ServiceCommandOutput_Error:
			return exit.With(exit.Failed, errors.New(console.Text(out.Error)))
		case *pb.ServiceCommandOutput_ExitCode:
			if out.ExitCode != 0 {
				return exit.Silent(int(out.ExitCode))
			}
			return nil
		}
	}
}
