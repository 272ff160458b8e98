package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/urfave/cli/v2"

	"betcode/actors"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/grpcapi"
	"betcode/messages"
	"betcode/persistence"
	pb "betcode/proto/betcode/v1"
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
		done, err = backupOffline(ctx, state, path, c.Bool("link"))
	} else {
		err = p.asked(ctx, c, func(cl *client.Client) (err error) {
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

// backupOffline copies a journal that no daemon has. It is opened as a daemon
// would: what a crash left is put in order first.
func backupOffline(ctx context.Context, state, path string, link bool) (*pb.BackupJournalResponse, error) {
	directory := filepath.Join(state, "journal")
	if found, _ := filepath.Glob(filepath.Join(directory, "MANIFEST*")); len(found) == 0 { // opening would make one
		return nil, messages.Errorf("back up journal", messages.NotFound, "there is no journal in %s", directory)
	}
	store, err := persistence.Open(persistence.Options{Directory: directory})
	if err != nil {
		return nil, err
	}
	defer store.Close()
	done, err := store.Backup(ctx, path, link)
	if err != nil {
		return nil, err
	}
	return grpcapi.JournalBackupOut(done), nil
}

// endLiveRuns ends the agents that go on without a daemon, or refuses: after a restore
// nobody would know them, and the next message would start a second agent on their
// conversation.
func (p *program) endLiveRuns(ctx context.Context, runs string, end bool) error {
	alive := actors.LiveRuns(runs)
	if len(alive) > 0 && !end {
		return messages.Errorf("restore journal", messages.WrongState, "%d agent(s) of this state directory still run, %s among them (pids %s)",
			len(alive), alive[0], actors.PIDs(alive)).
			WithHint("add --end-agents to end them; what they were doing is in their own transcripts")
	}
	for _, run := range alive {
		if err := run.End(ctx); err != nil {
			return err
		}
		fmt.Fprintf(p.Stderr, "Ended %s.\n", run)
	}
	return nil
}

func (p *program) journalRestore(ctx context.Context, c *cli.Context) error {
	if err := arguments(c, 1, 1); err != nil {
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
	if err := os.MkdirAll(state, 0o700); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(state, "daemon.lock"), flock.SetPermissions(0o600))
	locked, err := lock.TryLock()
	if err != nil {
		return err
	}
	if !locked {
		return messages.Errorf("restore journal", messages.Unavailable, "a daemon runs on %s", state).
			WithHint("stop it first: betcode daemon stop")
	}
	defer lock.Close()
	if err := p.endLiveRuns(ctx, filepath.Join(state, "runs"), c.Bool("end-agents")); err != nil {
		return err
	}
	done, err := persistence.Restore(ctx, persistence.RestoreOptions{
		Backup: c.Args().First(), Directory: filepath.Join(state, "journal"), RunsDirectory: filepath.Join(state, "runs"),
		Replace: c.Bool("force"), Damaged: c.Bool("damaged"),
	})
	if messages.KindOf(err) == messages.AlreadyExists && err != nil {
		return exit.With(exit.Failed, fmt.Errorf("%w. With --force it is moved aside", err))
	}
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return console.WriteValue(p.Stdout, restoredValue(done), "  ")
	}
	fmt.Fprintf(p.Stdout, "%s: %d session(s), %s; its lineage is %s\n", done.Directory, done.Sessions, console.Size(uint64(max(done.Bytes, 0))), done.Lineage)
	for _, aside := range done.Aside {
		fmt.Fprintf(p.Stdout, "What was there is in %s\n", aside)
	}
	p.tellLost(done)
	for _, problem := range done.Problems {
		fmt.Fprintf(p.Stderr, "damaged: %s\n", console.Line(problem.String()))
	}
	return nil
}
