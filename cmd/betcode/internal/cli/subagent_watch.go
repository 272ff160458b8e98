package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/render"
	pb "betcode/proto/betcode/v1"
)

func (p *program) watchSubagent(ctx context.Context, c *cli.Context, cl *client.Client) error {
	id, err := base.Resolve(ctx, cl, c.Args().First())
	if err != nil {
		return err
	}
	return p.follow(ctx, c, cl, &pb.WatchSubagentRequest{SubagentId: id, FromSequence: c.Uint64("from")})
}

// follow shows what a subagent does, up to its end.
func (p *program) follow(ctx context.Context, c *cli.Context, cl *client.Client, request *pb.WatchSubagentRequest) error {
	stream, err := cl.Subagent.WatchSubagent(ctx, request)
	if err != nil {
		return err
	}
	screen := render.NewRenderer(p.Stdout, console.Style(p.Terminal.Colour), c.Bool("verbose"))
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
		if !c.Bool("json") {
			screen.Event(e.GetAgentEvent())
		} else if err := console.WriteJSONLine(p.Stdout, e); err != nil {
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
