package base

import (
	"context"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/output"
)

// Shows wraps the action of a command that fetches something from the daemon and shows it, in the form that the flags of
// [output.Flags] name. With --watch it fetches again and again.
func (p *Program) Shows(least, most int, fetch func(ctx context.Context, c *cli.Context, cl *client.Client) (output.View, error)) cli.ActionFunc {
	return p.WithClient(least, most, func(ctx context.Context, c *cli.Context, cl *client.Client) error {
		return p.ShowLive(ctx, c, func() (output.View, error) { return fetch(ctx, c, cl) })
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

// Show shows a view once: what a command has done.
func (p *Program) Show(c *cli.Context, v output.View) error {
	options, err := output.Parse(c)
	if err != nil {
		return err
	}
	return output.Printer{Console: p.Console, Options: options}.Print(v)
}
