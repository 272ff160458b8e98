package journal

import (
	"context"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/offline"
	"betcode/cmd/betcode/internal/output"
)

func (p group) journalRestore(ctx context.Context, c *cli.Context) error {
	if err := base.Arguments(c, 1, 1); err != nil {
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
	return p.Show(c, output.View{Value: done.JSON(), Name: "directory", Text: func(w io.Writer, _ output.Look) error {
		done.Write(w)
		for _, problem := range done.Problems {
			p.Say("damaged: %s", console.Line(problem.String()))
		}
		return nil
	}})
}

func (p group) journalRepair(ctx context.Context, c *cli.Context) error {
	if err := base.Arguments(c, 0, 0); err != nil {
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
	view := output.View{Value: done.JSON(), Name: "directory", Text: func(w io.Writer, _ output.Look) error {
		done.Write(w)
		return nil
	}}
	if !done.Done() {
		view.Err = exit.Silent(exit.Internal)
	}
	return p.Show(c, view)
}
