package cli

import (
	"context"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/client"
	pb "betcode/proto/betcode/v1"
)

func (p *program) rawCommand() *cli.Command {
	return &cli.Command{
		Name: "raw", Usage: "print the output of an agent process unchanged", ArgsUsage: "SESSION",
		Description: "Prints the lines of JSON that the process has written so far. Each process of a session is a run, counted from 1.",
		Flags:       []cli.Flag{&cli.Uint64Flag{Name: "run", Usage: "of run `N` (default: the newest)"}},
		Action:      p.withClient(1, 1, p.rawSession),
	}
}

func (p *program) rawSession(ctx context.Context, c *cli.Context, cl *client.Client) error {
	stream, err := cl.Admin.RawOutput(ctx, &pb.RawOutputRequest{SessionId: c.Args().First(), Run: c.Uint64("run")})
	if err != nil {
		return err
	}
	return client.Each(stream, func(piece *pb.RawOutputResponse) error {
		_, err := p.Stdout.Write(piece.GetData())
		return err
	})
}
