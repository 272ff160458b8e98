package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/offline"
	pb "betcode/proto/betcode/v1"

	"github.com/urfave/cli/v2"
)

func (p *program) journalBackup(ctx context.Context, c *cli.Context) error {
	if err := arguments(c, 1, 1); err != nil {
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
		err = p.connected(ctx, c, func(cl *client.Client) (err error) {
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
