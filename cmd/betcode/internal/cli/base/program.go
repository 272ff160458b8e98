package base

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/config"
)

// Build is the version of this executable.
type Build struct{ Version, Commit, Date string }

// Program is what every command works with.
type Program struct {
	*console.Console
	Build Build
	World config.Environment

	// Screen shows the sessions on a terminal, for a program that is called without a command; nil: a short status is printed.
	Screen func(ctx context.Context, c *cli.Context) error
}

// Interruptible returns a context that ends with ctx or Ctrl-C.
func Interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, os.Interrupt)
}

// Simple wraps the action of a command that Ctrl-C cancels.
func Simple(action func(ctx context.Context, c *cli.Context) error) cli.ActionFunc {
	return func(c *cli.Context) error {
		ctx, stop := Interruptible(c.Context)
		defer stop()
		return action(ctx, c)
	}
}

// Needs returns a check, before the action of a command, that a flag is set. The library's own prints the whole help instead.
func Needs(flag string) cli.BeforeFunc {
	return func(c *cli.Context) error {
		if c.IsSet(flag) {
			return nil
		}
		return exit.Usage(fmt.Errorf("the flag --%s is missing. Run '%s --help' for what it takes", flag, c.Command.HelpName))
	}
}

// Arguments checks the number of arguments. A negative most means any number.
func Arguments(c *cli.Context, least, most int) error {
	n := c.Args().Len()
	if n >= least && (most < 0 || n <= most) {
		return nil
	}
	what := "no arguments"
	switch {
	case most < 0:
		what = "at least " + console.Count(least, "argument")
	case least == most && least > 0:
		what = console.Count(least, "argument")
	case most > 0:
		what = fmt.Sprintf("%d to %d arguments", least, most)
	}
	return exit.Usage(fmt.Errorf("'%s' takes %s, not %d. Usage: %s", c.Command.HelpName, what, n, strings.TrimSpace(c.Command.HelpName+" "+c.Command.ArgsUsage)))
}
