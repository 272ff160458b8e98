package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/urfave/cli/v2"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/output"
	"betcode/cmd/betcode/internal/render"
	pb "betcode/proto/betcode/v1"
)

// LogsCommand returns the command that prints the conversation of a session.
func LogsCommand(program *base.Program) *cli.Command {
	p := group{program}
	return &cli.Command{
		Name: "logs", Usage: "print the conversation of a session", ArgsUsage: "[SESSION]",
		Description: "Without SESSION, of the one used last. It only reads; 'betcode attach' also writes. With -o, --json or --jq, its\n" +
			"events as 'betcode events' prints them. The log of the daemon is 'betcode daemon logs'.",
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "follow", Aliases: []string{"f"}, Usage: "go on with what happens, until Ctrl-C"},
			&cli.Uint64Flag{Name: "tail", Aliases: []string{"n"}, Usage: "only the last `N` events of the history"},
			&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "show thinking, subagents and processes too"},
		}, output.StreamFlags()...),
		Action: func(c *cli.Context) error {
			options, err := output.ParseStream(c)
			if err != nil || options.Form != output.Auto || options.ListFields {
				return p.printEvents(c)
			}
			return p.WithClient(0, 1, p.conversation)(c)
		},
	}
}

// conversation prints the history in the form of a chat.
func (p group) conversation(ctx context.Context, c *cli.Context, cl *client.Client) error {
	screen := render.NewRenderer(p.Stdout, console.Style(p.Terminal.Colour), c.Bool("verbose"))
	defer screen.EndLine()
	return p.read(ctx, c, cl, func(e proto.Message) error {
		screen.Event(e.(*pb.AgentEvent))
		return nil
	})
}

// EventsCommand returns the command that prints the events of a session.
func EventsCommand(program *base.Program) *cli.Command {
	p := group{program}
	return &cli.Command{
		Name: "events", Usage: "print the events of a session, one JSON object per line", ArgsUsage: "[SESSION]",
		Description: "Without SESSION, of the one used last. An object is betcode.v1.AgentEvent in the JSON mapping of protobuf, with\n" +
			"numbers for all integers. -o table is one row for each event, for people.",
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "follow", Aliases: []string{"f"}, Usage: "go on with what happens, until Ctrl-C"},
			&cli.Uint64Flag{Name: "tail", Aliases: []string{"n"}, Usage: "only the last `N` events of the history"},
			&cli.Uint64Flag{Name: "from", Usage: "only what comes after sequence `N`"},
		}, output.StreamFlags()...),
		Action: p.printEvents,
	}
}

// printEvents prints events, each in the form that the flags name.
func (p group) printEvents(c *cli.Context) error {
	return p.Streams(0, 1, eventStream, p.read)(c)
}

func eventStream(c *cli.Context) output.Stream {
	return output.Stream{
		Entry: &pb.AgentEvent{}, Name: "sequence", Form: output.JSONL, AtOnce: c.Bool("follow"),
		Columns: EventColumns(),
		Row: func(m proto.Message, l output.Look) []string {
			e := m.(*pb.AgentEvent)
			return EventRow(e.GetSequence(), e.GetTimestamp(), e, l)
		},
	}
}

// EventColumns returns the columns of a table of events.
func EventColumns() []console.Column {
	return []console.Column{{Title: "SEQ", Whole: true}, {Title: "TIME", Whole: true}, {Title: "KIND", Whole: true}, {Title: "WHAT", Text: true}}
}

// EventRow returns the row of an event in such a table. An event without a sequence is not of the history.
func EventRow(sequence uint64, at *timestamppb.Timestamp, e *pb.AgentEvent, l output.Look) []string {
	number := ""
	if sequence > 0 {
		number = strconv.FormatUint(sequence, 10)
	}
	return []string{number, at.AsTime().Local().Format(time.DateTime), render.Kind(e), l.Cut(render.Summary(e), 400)}
}

// read passes on the history of a session up to its end, and with --follow later events.
func (p group) read(ctx context.Context, c *cli.Context, cl *client.Client, show func(proto.Message) error) error {
	ref := c.Args().First()
	if ref == "" {
		ref = "@last"
	}
	view, err := base.ShowSession(ctx, cl, ref)
	if err != nil {
		return err
	}
	head, from := view.GetHead(), c.Uint64("from")
	if n := c.Uint64("tail"); c.IsSet("tail") && from > 0 {
		return exit.Usage(errors.New("--tail and --from contradict each other: leave one of them out"))
	} else if c.IsSet("tail") && n < head {
		from = head - n
	}
	follow := c.Bool("follow")
	if !follow && from >= head {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := cl.Agent.ResumeSession(ctx, &pb.ResumeSessionRequest{SessionId: view.GetSummary().GetId(), FromSequence: from, Follow: follow})
	if err != nil {
		return err
	}
	for {
		e, err := stream.Recv()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case ctx.Err() != nil:
			return exit.Silent(exit.Interrupted)
		case client.Unreachable(err) && follow:
			return exit.With(exit.Connection, fmt.Errorf("the daemon stopped answering; go on with 'betcode logs -f %s'", console.ShortID(view.GetSummary().GetId())))
		case err != nil:
			return err
		}
		if err := show(e); err != nil {
			return err
		}
		if !follow && e.GetSequence() >= head {
			return nil
		}
	}
}
