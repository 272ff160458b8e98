package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/offline"
	"betcode/cmd/betcode/internal/statedir"
	pb "betcode/proto/betcode/v1"
)

func (p *program) journalCommand() *cli.Command {
	asJSON := &cli.BoolFlag{Name: "json", Usage: "as JSON"}
	offline := []cli.Flag{
		&cli.StringFlag{Name: "state-dir", Usage: "read the journal in this state `DIRECTORY` instead; no daemon may be using it"},
		&cli.StringFlag{Name: "backup", Usage: "read the backup in this `DIRECTORY` instead"},
		asJSON,
	}
	return &cli.Command{
		Name: "journal", Usage: "inspect, back up, restore and repair the journal",
		Subcommands: []*cli.Command{
			{
				Name: "stats", Usage: "show its size and what was written to it",
				Flags: offline, Action: simple(p.journalStats),
			},
			{
				Name: "verify", Usage: "read it from end to end and list damage",
				Description: "Reads every page, checksum and record, and follows the hash chain of every session. Ends with\n" +
					"7 if there is damage.",
				Flags: offline, Action: simple(p.journalVerify),
			},
			{
				Name: "backup", Usage: "copy it while the daemon works", ArgsUsage: "DIRECTORY",
				Description: "DIRECTORY must not exist, or be empty. The copy is the journal of one moment.\n" +
					"'betcode journal verify --backup DIRECTORY' checks it, 'betcode journal restore' restores it.",
				Flags: []cli.Flag{
					&cli.BoolFlag{Name: "link", Usage: "link files that never change instead of copying them, where the disk can"},
					&cli.StringFlag{Name: "state-dir", Usage: "copy the journal in this state `DIRECTORY`; no daemon may be using it"},
					asJSON,
				},
				Action: simple(p.journalBackup),
			},
			{
				Name: "restore", Usage: "make the journal of a state directory from a backup", ArgsUsage: "BACKUP",
				Description: "No daemon may be using the state directory. It must not have a journal or run directories, unless\n" +
					"--force moves them aside. The journal gets a new lineage, so that clients notice the restore.\n" +
					"Agents that ran when the backup was made do not run again; their sessions go on with the next\n" +
					"message.",
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "state-dir", Usage: "state `DIRECTORY` that gets the journal (BETCODE_STATE_DIR)"},
					&cli.BoolFlag{Name: "force", Usage: "move an existing journal and run directories aside; they are never removed"},
					&cli.BoolFlag{Name: "end-agents", Usage: "end agents of this state directory that still run; without it the command refuses"},
					&cli.BoolFlag{Name: "damaged", Usage: "restore what can be read of a damaged backup"},
					asJSON,
				},
				Action: simple(p.journalRestore),
			},
			{
				Name: "repair", Usage: "report what a damaged journal lost, and make it one that opens",
				Description: "For a journal that the daemon refuses to open. No daemon may be using it. Without --yes nothing is\n" +
					"changed: the command lists the sessions, events and times that would be lost, and ends with 7 if a repair\n" +
					"is needed. With --yes it leaves out the parts that cannot be read; their sessions can be exported and\n" +
					"deleted, everything else goes on. The journal as it was is kept beside it.",
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "state-dir", Usage: "`DIRECTORY` of the daemon whose journal it is (BETCODE_STATE_DIR)"},
					&cli.BoolFlag{Name: "yes", Usage: "repair it, and keep the old files beside it"},
					asJSON,
				},
				Action: simple(p.journalRepair),
			},
			{
				Name: "backups", Usage: "list the backups that the daemon made by itself",
				Description: "The daemon copies the journal every journal.backup_every, and keeps the newest journal.backup_keep\n" +
					"copies in the directory backups of its state directory. 'betcode journal restore' restores one.",
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "state-dir", Usage: "`DIRECTORY` of the daemon (BETCODE_STATE_DIR)"},
					asJSON,
				},
				Action: simple(p.journalBackups),
			},
		},
	}
}

// journalDirectory returns the directory of the journal or backup that a command names; empty means that the daemon
// answers.
func journalDirectory(c *cli.Context) (string, error) {
	directory := c.String("backup")
	if state := c.String("state-dir"); state != "" {
		if directory != "" {
			return "", exit.Usage(errors.New("--state-dir and --backup name two journals; give one of them"))
		}
		directory = statedir.Journal(state)
	}
	return directory, nil
}

// namedState returns the absolute path of the state directory that a command is about.
func (p *program) namedState(c *cli.Context) (string, error) {
	cfg, _, err := p.locate(c)
	if err != nil {
		return "", err
	}
	state, err := filepath.Abs(cfg.StateDir)
	return state, exit.Usage(err)
}

const (
	statsSchema   = "betcode.journal.stats/v1"
	verifySchema  = "betcode.journal.verify/v1"
	backupSchema  = "betcode.journal.backup/v1"
	backupsSchema = "betcode.journal.backups/v1"
)

func (p *program) journalStats(ctx context.Context, c *cli.Context) error {
	if err := arguments(c, 0, 0); err != nil {
		return err
	}
	directory, err := journalDirectory(c)
	if err != nil {
		return err
	}
	var stats *pb.JournalStatsResponse
	if directory != "" {
		stats, err = offline.Stats(directory)
	} else {
		err = p.asked(ctx, c, func(cl *client.Client) (err error) {
			stats, err = cl.Admin.JournalStats(ctx, &pb.JournalStatsRequest{})
			return err
		})
	}
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return console.WriteJSON(p.Stdout, statsSchema, stats)
	}
	p.writeJournalStats(stats, directory == "")
	return nil
}

// asked connects to the daemon for one call.
func (p *program) asked(ctx context.Context, c *cli.Context, question func(*client.Client) error) error {
	cl, _, err := p.connect(ctx, c)
	if err != nil {
		return err
	}
	defer cl.Close()
	return question(cl)
}

func (p *program) writeJournalStats(s *pb.JournalStatsResponse, live bool) {
	w := p.Stdout
	fmt.Fprintf(w, "Journal: %s\n", console.Line(s.GetDirectory()))
	fmt.Fprintf(w, "Lineage: %s (format %d)\n", console.Line(s.GetLineage()), s.GetFormat())
	fmt.Fprintf(w, "Sessions: %d\n", s.GetSessions())
	fmt.Fprintf(w, "Size: %s in %d file(s)\n", console.Size(s.GetTotalBytes()), len(s.GetFiles()))
	for _, f := range s.GetFiles() {
		state := "being written"
		if f.GetSealedAt() != nil {
			state = "sealed " + console.Ago(f.GetSealedAt(), time.Now())
		}
		if f.GetGarbageBytes() > 0 {
			state += ", " + console.Size(f.GetGarbageBytes()) + " of garbage"
		}
		fmt.Fprintf(w, "  %s  %s  %s\n", console.Line(f.GetName()), console.Size(f.GetBytes()), state)
	}
	if s.GetPayloads() > 0 {
		fmt.Fprintf(w, "  blobs  %s  %d payload(s) of more than 64 KiB\n", console.Size(s.GetPayloadBytes()), s.GetPayloads())
	}
	if !live {
		return
	}
	kept := "everything is kept"
	if s.GetRetainBytes() > 0 {
		kept = "the newest " + console.Size(s.GetRetainBytes()) + " of sealed files are kept"
	}
	if s.GetRetainSeconds() > 0 {
		kept += ", for " + console.Span(time.Duration(s.GetRetainSeconds())*time.Second)
	}
	fmt.Fprintf(w, "Retention: %s; %d dropped\n", kept, s.GetDroppedFiles())
	fmt.Fprintf(w, "Reclaimed: %d file(s) rewritten, %d payload(s) removed\n", s.GetRewrittenFiles(), s.GetSweptPayloads())
	fmt.Fprintf(w, "Log: %s, checkpoint at %s; %d checkpoints so far\n", console.Size(s.GetLogBytes()), console.Size(s.GetCheckpointBytes()), s.GetCheckpoints())
	if failure := s.GetCheckpointFailure(); failure != "" {
		fmt.Fprintf(w, "  last checkpoint failed: %s\n", console.Line(failure))
	}
	fmt.Fprintf(w, "Since the daemon started: %d events (%s) in %d transactions, %s written, %d appends refused\n",
		s.GetEvents(), console.Size(s.GetEventBytes()), s.GetCommits(), console.Size(s.GetWrittenBytes()), s.GetRefused())
}
