package cli

import (
	"context"
	"fmt"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/offline"

	"github.com/urfave/cli/v2"
)

func (p *program) journalRestore(ctx context.Context, c *cli.Context) error {
	if err := arguments(c, 1, 1); err != nil {
		return err
	}
	state, err := p.namedState(c)
	if err != nil {
		return err
	}
	done, err := offline.Restore(ctx, offline.RestoreOptions{
		Backup: c.Args().First(), State: state, Force: c.Bool("force"), EndAgents: c.Bool("end-agents"), Damaged: c.Bool("damaged"),
		Ended: func(run fmt.Stringer) { p.Say("Ended %s.", run) },
	})
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return console.WriteValue(p.Stdout, done.JSON(), "  ")
	}
	done.Write(p.Stdout)
	for _, problem := range done.Problems {
		p.Say("damaged: %s", console.Line(problem.String()))
	}
	return nil
}
