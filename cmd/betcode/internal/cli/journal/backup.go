package journal

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/offline"
	"betcode/cmd/betcode/internal/output"
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
	took := time.Since(began).Round(time.Millisecond)
	return p.Show(c, output.View{Schema: "betcode.journal.backup/v2", Value: done, Name: "path", Text: func(w io.Writer, _ output.Look) error {
		linked := ""
		if done.GetLinkedBytes() > 0 {
			linked = ", " + console.Size(done.GetLinkedBytes()) + " of it linked"
		}
		_, err := fmt.Fprintf(w, "%s: %s, %s%s, in %s\n", console.Line(done.GetPath()), console.Count(done.GetFiles(), "file"), console.Size(done.GetBytes()), linked, took)
		return err
	}})
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
	all := []any{}
	for _, b := range found {
		all = append(all, map[string]any{"path": b.Path, "created_at": b.At})
	}
	return p.Show(c, output.View{
		Schema: "betcode.journal.backups/v1", Value: map[string]any{"backups": all}, List: "backups", Name: "path",
		Text: func(w io.Writer, _ output.Look) (err error) {
			if len(found) == 0 {
				_, err = fmt.Fprintf(w, "There is no backup in %s. To make one every day: betcode config set journal.backup_every 1d\n",
					console.Line(statedir.Backups(state)))
			}
			for _, b := range found {
				_, err = fmt.Fprintf(w, "%s  %s\n", b.At.Local().Format(time.DateTime), console.Line(b.Path))
			}
			return err
		},
	})
}
