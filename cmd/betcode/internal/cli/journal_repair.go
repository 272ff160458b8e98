package cli

import (
	"context"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/offline"

	"github.com/urfave/cli/v2"
)

func (p *program) journalRepair(ctx context.Context, c *cli.Context) error {
	if err := arguments(c, 0, 0); err != nil {
		return err
	}
	state, err := p.namedState(c)
	if err != nil {
		return err
	}
	done, err := offline.Repair(ctx, state, c.Bool("yes"))
	if err != nil {
		return err
	}
	if c.Bool("json") {
		err = console.WriteValue(p.Stdout, done.JSON(), "  ")
	} else {
		done.Write(p.Stdout)
	}
	if err == nil && done.Needed && done.Aside == "" {
		return exit.Silent(exit.Internal)
	}
	return err
}
