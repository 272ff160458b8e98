package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"betcode/actors"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/messages"
)

const backupsSchema = "betcode.journal.backups/v1"

// backupsIn is the directory of the backups that the daemon of a state directory makes.
func backupsIn(state string) string { return filepath.Join(state, "backups") }

func (p *program) journalBackupsCommand() *cli.Command {
	return &cli.Command{
		Name: "backups", Usage: "list the backups that the daemon made by itself",
		Description: "The daemon copies the journal every journal.backup_every, and keeps the newest journal.backup_keep\n" +
			"copies in the directory backups of its state directory. 'betcode journal restore' brings one back.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "state-dir", Usage: "`DIRECTORY` of the daemon (BETCODE_STATE_DIR)"},
			&cli.BoolFlag{Name: "json", Usage: "as JSON"},
		},
		Action: simple(p.journalBackups),
	}
}

func (p *program) journalBackups(_ context.Context, c *cli.Context) error {
	if err := arguments(c, 0, 0); err != nil {
		return err
	}
	cfg, _, err := p.locate(c)
	if err != nil {
		return err
	}
	state, err := filepath.Abs(cfg.StateDir)
	if err != nil {
		return exit.Usage(err)
	}
	found, err := actors.ScheduledBackups(backupsIn(state))
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
		fmt.Fprintf(p.Stdout, "There is no backup in %s. To have one every day: betcode config set journal.backup_every 1d\n",
			console.Line(backupsIn(state)))
		return nil
	}
	for _, b := range found {
		fmt.Fprintf(p.Stdout, "%s  %s\n", b.At.Local().Format(time.DateTime), console.Line(b.Path))
	}
	return nil
}

// offerBackup names the newest backup in an error that says that the journal is damaged,
// or how to have one.
func offerBackup(err error, state string) error {
	var e *messages.Error
	if !errors.As(err, &e) || e.Kind != messages.DataLoss {
		return err
	}
	found, bad := actors.ScheduledBackups(backupsIn(state))
	if bad != nil {
		found = nil
	}
	return e.WithHint(e.Hint + " " + actors.OfferBackup(found))
}
