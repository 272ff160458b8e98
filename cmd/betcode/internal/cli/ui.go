package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/chat"
	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/cli/session"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/talk"
	"betcode/cmd/betcode/internal/ui"
)

func (p *program) uiCommand() *cli.Command {
	return &cli.Command{
		Name: "ui", Usage: "show all sessions on a screen: those that need you first",
		Description: "betcode alone does the same on a terminal. ? lists the keys.",
		Flags:       []cli.Flag{&cli.BoolFlag{Name: "plain", Usage: "line by line, for screen readers and dumb terminals; without a terminal: print how things stand, and end"}},
		Action: func(c *cli.Context) error {
			if err := base.Arguments(c, 0, 0); err != nil {
				return err
			}
			if c.Bool("plain") && p.Console.Terminal.In && p.Console.Terminal.Out && p.Console.Attended() {
				return p.listed(c.Context, c, ui.RunPlain)
			}
			if c.Bool("plain") {
				ctx, stop := base.Interruptible(c.Context)
				defer stop()
				return session.Status(ctx, p.Program, c)
			}
			if !chat.Suits(p.Console) {
				return exit.Usage(errors.New("the screen needs a terminal; 'betcode ui --plain' or 'betcode ps' print lines"))
			}
			return p.screen(c.Context, c)
		},
	}
}

// screen shows all sessions until the person leaves, or prints a summary where a screen is not
// possible.
func (p *program) screen(ctx context.Context, c *cli.Context) error {
	if !chat.Suits(p.Console) {
		return session.Status(ctx, p.Program, c)
	}
	return p.listed(ctx, c, ui.Run)
}

// listed connects, and shows all sessions in one form.
func (p *program) listed(ctx context.Context, c *cli.Context, run func(context.Context, *console.Console, *client.Client, ui.Options) error) error {
	cl, cfg, err := p.Connect(ctx, c)
	if err != nil {
		return err
	}
	defer cl.Close()
	return run(ctx, p.Console, cl, ui.Options{
		Drafts: p.TypedDirectory(c),
		State:  p.StateDirectory(c, cfg),
		New: func() (talk.Opening, error) {
			o, err := session.OpenChat(ctx, p.Program, c, cl)
			if err != nil {
				return o, fmt.Errorf("begin a session: %w", err)
			}
			return o, nil
		},
	})
}
