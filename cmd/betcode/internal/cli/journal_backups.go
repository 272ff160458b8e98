package cli

import (
	"context"
	"fmt"
	"time"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/offline"
	"betcode/cmd/betcode/internal/statedir"

	"github.com/urfave/cli/v2"
)

func (p *program) journalBackups(_ context.Context, c *cli.Context) error {
	if err := arguments(c, 0, 0); err != nil {
		return err
	}
	state, err := p.namedState(c)
	if err != nil {
		return err
	}
	found, err := offline.Backups(state)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		all := []any{}
		for _, b := range found {
			all = append(all, map[string]any{"path": b.Path, "created_at": b.At})
		}
		return console.WriteValue(p.Stdout, map[string]any{"schema": backupsSchema, "backups": all}, "  ")
	}
	if len(found) == 0 {
		fmt.Fprintf(p.Stdout, "There is no backup in %s. To make one every day: betcode config set journal.backup_every 1d\n",
			console.Line(statedir.Backups(state)))
		return nil
	}
	for _, b := range found {
		fmt.Fprintf(p.Stdout, "%s  %s\n", b.At.Local().Format(time.DateTime), console.Line(b.Path))
	}
	return nil
}
