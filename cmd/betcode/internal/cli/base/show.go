package base

import (
	"context"

	"github.com/urfave/cli/v2"
	"google.golang.org/protobuf/proto"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/output"
)

// Shows wraps the action of a command that fetches something from the daemon and shows it, in the form that the flags of
// [output.Flags] name. With --watch it fetches again and again. A wrong form is an error before the daemon does anything.
func (p *Program) Shows(least, most int, fetch func(ctx context.Context, c *cli.Context, cl *client.Client) (output.View, error)) cli.ActionFunc {
	return Simple(func(ctx context.Context, c *cli.Context) error {
		if err := Arguments(c, least, most); err != nil {
			return err
		}
		options, err := output.Parse(c)
		if err != nil {
			return err
		}
		return p.Connected(ctx, c, func(cl *client.Client) error {
			return output.Printer{Console: p.Console, Options: options}.Run(ctx, func() (output.View, error) { return fetch(ctx, c, cl) })
		})
	})
}

// Streams wraps the action of a command that prints entries of the daemon as they arrive, in the form that the flags of
// [output.StreamFlags] name. of returns the form of entries; each passes the entries on.
func (p *Program) Streams(least, most int, of func(c *cli.Context) output.Stream,
	each func(ctx context.Context, c *cli.Context, cl *client.Client, show func(proto.Message) error) error,
) cli.ActionFunc {
	return Simple(func(ctx context.Context, c *cli.Context) error {
		if err := Arguments(c, least, most); err != nil {
			return err
		}
		options, err := output.ParseStream(c)
		if err != nil {
			return err
		}
		return output.Printer{Console: p.Console, Options: options}.Stream(of(c), func(show func(proto.Message) error) error {
			return p.Connected(ctx, c, func(cl *client.Client) error { return each(ctx, c, cl, show) })
		})
	})
}

// ShowLive shows what fetch returns; with --watch again and again.
func (p *Program) ShowLive(ctx context.Context, c *cli.Context, fetch func() (output.View, error)) error {
	options, err := output.Parse(c)
	if err != nil {
		return err
	}
	return output.Printer{Console: p.Console, Options: options}.Run(ctx, fetch)
}

// Show prints the view of a command's result, once.
func (p *Program) Show(c *cli.Context, v output.View) error {
	options, err := output.Parse(c)
	if err != nil {
		return err
	}
	return output.Printer{Console: p.Console, Options: options}.Print(v)
}
