package journal

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/offline"
	"betcode/cmd/betcode/internal/statedir"
	pb "betcode/proto/betcode/v1"
)

func (p group) journalBackup(ctx context.Context, c *cli.Context) error {
	if err := base.Arguments(c, 1, 1); err != nil {
		return err
	}
	path, err := filepath.Abs(c.Args().First())
	if err != nil {
		return exit.Usage(err)
	}
	began := time.Now()
	var done *pb.BackupJournalResponse
	if state := c.String("state-dir"); state != "" {
		done, err = offline.Backup(ctx, state, path, c.Bool("link"))
	} else {
		err = p.Connected(ctx, c, func(cl *client.Client) (err error) {
			done, err = cl.Admin.BackupJournal(ctx, &pb.BackupJournalRequest{Path: path, Link: c.Bool("link")})
			return err
		})
	}
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return console.WriteJSON(p.Stdout, backupSchema, done)
	}
	linked := ""
	if done.GetLinkedBytes() > 0 {
		linked = ", " + console.Size(done.GetLinkedBytes()) + " of it linked"
	}
	fmt.Fprintf(p.Stdout, "%s: %d file(s), %s%s, in %s\n", console.Line(done.GetPath()), done.GetFiles(), console.Size(done.GetBytes()), linked,
		time.Since(began).Round(time.Millisecond))
	return nil
}

func (p group) journalBackups(_ context.Context, c *cli.Context) error {
	if err := base.Arguments(c, 0, 0); err != nil {
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
