package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"
	"google.golang.org/protobuf/proto"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/cli/session"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/output"
	"betcode/cmd/betcode/internal/render"
	pb "betcode/proto/betcode/v1"
)

func (p *program) watchSubagent(c *cli.Context) error {
	watch := func(ctx context.Context, c *cli.Context, cl *client.Client, show func(*pb.SubagentEvent) error) error {
		id, err := base.Resolve(ctx, cl, c.Args().First())
		if err != nil {
			return err
		}
		return p.follow(ctx, cl, &pb.WatchSubagentRequest{SubagentId: id, FromSequence: c.Uint64("from")}, show)
	}
	options, err := output.ParseStream(c)
	if err != nil || options.Form != output.Auto || options.ListFields {
		return p.Streams(1, 1, subagentStream, func(ctx context.Context, c *cli.Context, cl *client.Client, show func(proto.Message) error) error {
			return watch(ctx, c, cl, func(e *pb.SubagentEvent) error { return show(e) })
		})(c)
	}
	return p.WithClient(1, 1, func(ctx context.Context, c *cli.Context, cl *client.Client) error {
		return watch(ctx, c, cl, p.subagentScreen(c))
	})(c)
}

// subagentScreen returns what shows the events of a subagent as a chat does.
func (p *program) subagentScreen(c *cli.Context) func(*pb.SubagentEvent) error {
	screen := render.NewRenderer(p.Stdout, console.Style(p.Terminal.Colour), c.Bool("verbose"))
	return func(e *pb.SubagentEvent) error {
		screen.Event(e.GetAgentEvent())
		return nil
	}
}

func subagentStream(*cli.Context) output.Stream {
	return output.Stream{
		Entry: &pb.SubagentEvent{}, Name: "sequence", Form: output.JSONL, AtOnce: true, Columns: session.EventColumns(),
		Row: func(m proto.Message, l output.Look) []string {
			e := m.(*pb.SubagentEvent)
			return session.EventRow(e.GetSequence(), e.GetTimestamp(), e.GetAgentEvent(), l)
		},
	}
}

// follow prints the events of a subagent up to its end.
func (p *program) follow(ctx context.Context, cl *client.Client, request *pb.WatchSubagentRequest, show func(*pb.SubagentEvent) error) error {
	stream, err := cl.Subagent.WatchSubagent(ctx, request)
	if err != nil {
		return err
	}
	var last *pb.SubagentEvent
	for {
		e, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return subagentOutcome(last)
		}
		if err != nil {
			return err
		}
		last = e
		if err := show(e); err != nil {
			return err
		}
	}
}

// subagentOutcome is an error unless the subagent completed.
func subagentOutcome(last *pb.SubagentEvent) error {
	switch {
	case last.GetFailed() != nil:
		return fmt.Errorf("the subagent failed: %s", console.Line(last.GetFailed().GetErrorMessage()))
	case last.GetCancelled() != nil:
		return fmt.Errorf("the subagent was cancelled: %s", console.Line(last.GetCancelled().GetReason()))
	}
	return nil
}
