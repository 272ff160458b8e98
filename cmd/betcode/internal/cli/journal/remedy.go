package journal

import (
	"context"
	"errors"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/messages"
)

// withRemedy returns the error of a command that works on files, with the remedy of that command: the hints of the journal
// are for a daemon that opens it.
func withRemedy(c *cli.Context, err error) error {
	var failed *messages.Error
	if c.String("state-dir")+c.String("backup") == "" || !errors.As(err, &failed) {
		return err
	}
	switch failed.Kind { //nolint:exhaustive // all other hints stay
	case messages.Unavailable:
		return failed.WithHint("ask the daemon: leave --state-dir out. Or stop it first: betcode daemon stop")
	case messages.NotFound:
		return failed.WithHint("--state-dir is the directory that 'betcode config get daemon.state_dir' prints, --backup one that 'betcode journal backup' made")
	}
	return err
}

// remedied wraps the action of a command that works on files.
func remedied(action func(ctx context.Context, c *cli.Context) error) cli.ActionFunc {
	return base.Simple(func(ctx context.Context, c *cli.Context) error { return withRemedy(c, action(ctx, c)) })
}
