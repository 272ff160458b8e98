package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/grpcapi"
	"betcode/messages"
	"betcode/persistence"
	pb "betcode/proto/betcode/v1"
)

func (p *program) journalCommand() *cli.Command {
	asJSON := &cli.BoolFlag{Name: "json", Usage: "as JSON"}
	offline := []cli.Flag{
		&cli.StringFlag{Name: "state-dir", Usage: "look at the journal in this state `DIRECTORY` instead; no daemon may be using it"},
		&cli.StringFlag{Name: "backup", Usage: "look at the backup in this `DIRECTORY` instead"},
		asJSON,
	}
	return &cli.Command{
		Name: "journal", Usage: "look after the journal: what sessions said, and what they are rebuilt from",
		Subcommands: []*cli.Command{
			{
				Name: "stats", Usage: "say how large it is and what was written to it",
				Flags: offline, Action: simple(p.journalStats),
			},
			{
				Name: "verify", Usage: "read it from end to end and name what is damaged",
				Description: "Every page, checksum and record is read, and the hash chain of every session followed. The\n" +
					"exit code is 0 if nothing is wrong and 7 if something is.",
				Flags: offline, Action: simple(p.journalVerify),
			},
			{
				Name: "backup", Usage: "copy it, while everything goes on", ArgsUsage: "DIRECTORY",
				Description: "DIRECTORY must not exist, or be empty. The copy is the journal of one moment. It can be looked\n" +
					"at ('betcode journal verify --backup DIRECTORY') and restored ('betcode journal restore').",
				Flags: []cli.Flag{
					&cli.BoolFlag{Name: "link", Usage: "link files that will never change, where the disk can, instead of copying them"},
					&cli.StringFlag{Name: "state-dir", Usage: "copy the journal in this state `DIRECTORY`; no daemon may be using it"},
					asJSON,
				},
				Action: simple(p.journalBackup),
			},
			{
				Name: "restore", Usage: "make the journal of a state directory from a backup", ArgsUsage: "BACKUP",
				Description: "No daemon may be using the state directory, and nothing may be in it, unless --force moves aside\n" +
					"what is there. The journal gets a new lineage, so that clients notice; agents that were running\n" +
					"when the backup was made are not brought back: their sessions go on with the next message.",
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "state-dir", Usage: "`DIRECTORY` of the daemon that is to have it (BETCODE_STATE_DIR)"},
					&cli.BoolFlag{Name: "force", Usage: "move aside, never remove, the journal and the run directories that are there"},
					&cli.BoolFlag{Name: "end-agents", Usage: "end agents of this state directory that still run; without it they are a reason to refuse"},
					&cli.BoolFlag{Name: "damaged", Usage: "restore what can be read of a damaged backup"},
					asJSON,
				},
				Action: simple(p.journalRestore),
			},
			p.journalRepairCommand(),
			p.journalBackupsCommand(),
		},
	}
}

// offlineJournal opens the journal that a command names, so that it stays as it
// is. nil means that the daemon is to be asked.
func (p *program) offlineJournal(c *cli.Context) (*persistence.Store, error) {
	directory := c.String("backup")
	if state := c.String("state-dir"); state != "" {
		if directory != "" {
			return nil, exit.Usage(fmt.Errorf("--state-dir and --backup name two journals; give one of them"))
		}
		directory = filepath.Join(state, "journal")
	}
	if directory == "" {
		return nil, nil
	}
	return persistence.Open(persistence.Options{Directory: directory, ReadOnly: true})
}

const (
	statsSchema   = "betcode.journal.stats/v1"
	verifySchema  = "betcode.journal.verify/v1"
	backupSchema  = "betcode.journal.backup/v1"
	restoreSchema = "betcode.journal.restore/v1"
)

func (p *program) journalStats(ctx context.Context, c *cli.Context) error {
	if err := arguments(c, 0, 0); err != nil {
		return err
	}
	store, err := p.offlineJournal(c)
	if err != nil {
		return err
	}
	var stats *pb.JournalStatsResponse
	if store != nil {
		stats = grpcapi.JournalStatsOut(store.Stats())
		err = store.Close()
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
	p.writeJournalStats(stats, store == nil)
	return nil
}

// asked connects to the daemon for one question.
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
			state += ", " + console.Size(f.GetGarbageBytes()) + " of no use any more"
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
	fmt.Fprintf(w, "Given back: %d file(s) rewritten, %d payload(s) removed\n", s.GetRewrittenFiles(), s.GetSweptPayloads())
	fmt.Fprintf(w, "Log: %s, moved into the file at %s; %d times so far\n", console.Size(s.GetLogBytes()), console.Size(s.GetCheckpointBytes()), s.GetCheckpoints())
	if failure := s.GetCheckpointFailure(); failure != "" {
		fmt.Fprintf(w, "  not moved the last time: %s\n", console.Line(failure))
	}
	fmt.Fprintf(w, "Since the daemon started: %d events (%s) in %d transactions, %s written, %d appends refused\n",
		s.GetEvents(), console.Size(s.GetEventBytes()), s.GetCommits(), console.Size(s.GetWrittenBytes()), s.GetRefused())
}

func (p *program) journalVerify(ctx context.Context, c *cli.Context) error {
	if err := arguments(c, 0, 0); err != nil {
		return err
	}
	store, err := p.offlineJournal(c)
	if err != nil {
		return err
	}
	v := &verification{p: p, json: c.Bool("json")}
	if store != nil {
		defer store.Close()
		report, err := store.Verify(ctx, func(f messages.JournalFile) { v.hear(grpcapi.JournalFileOut(f)) })
		if err != nil {
			return err
		}
		for _, m := range grpcapi.JournalReportOut(report) {
			v.hear(m)
		}
		return v.end()
	}
	err = p.asked(ctx, c, func(cl *client.Client) error {
		stream, err := cl.Admin.VerifyJournal(ctx, &pb.VerifyJournalRequest{})
		if err != nil {
			return err
		}
		for {
			m, err := stream.Recv()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			v.hear(m)
		}
	})
	if err != nil {
		return err
	}
	return v.end()
}

// verification shows a verification while it goes on.
type verification struct {
	p        *program
	json     bool
	files    []*pb.JournalFileReport
	problems []*pb.JournalProblem
	done     *pb.JournalVerified
}

func (v *verification) hear(m *pb.VerifyJournalResponse) {
	switch news := m.GetNews().(type) {
	case *pb.VerifyJournalResponse_File:
		v.read(news.File)
	case *pb.VerifyJournalResponse_Problem:
		v.problems = append(v.problems, news.Problem)
		if v.json {
			return
		}
		where := news.Problem.GetFile()
		if key := news.Problem.GetKey(); key != "" {
			where += ": " + key
		}
		fmt.Fprintf(v.p.Stdout, "%s %s: %s\n", console.Style(v.p.Terminal.Colour).Red("DAMAGED"), console.Line(where), console.Line(news.Problem.GetMessage()))
	case *pb.VerifyJournalResponse_Done:
		v.done = news.Done
	}
}

// read takes note of a file, and shows it when it was read to its end; before
// that a person sees how far it is.
func (v *verification) read(f *pb.JournalFileReport) {
	if n := len(v.files); n > 0 && v.files[n-1].GetName() == f.GetName() {
		v.files[n-1] = f
	} else {
		v.files = append(v.files, f)
	}
	line := fmt.Sprintf("%s  %s, %d values, %d events", console.Line(f.GetName()), console.Size(f.GetBytes()), f.GetKeys(), f.GetEvents())
	if f.GetComplete() && f.GetChainedEvents() < f.GetEvents() {
		line += fmt.Sprintf(" (%d without a hash chain)", f.GetEvents()-f.GetChainedEvents())
	}
	switch {
	case v.json:
	case f.GetComplete():
		if v.p.Terminal.Err {
			fmt.Fprint(v.p.Stderr, "\r\x1b[K")
		}
		fmt.Fprintln(v.p.Stdout, line)
	case v.p.Terminal.Err:
		fmt.Fprint(v.p.Stderr, "\r\x1b[K"+line+" …")
	}
}

// end sums up.
func (v *verification) end() error {
	if v.done == nil {
		return exit.With(exit.Internal, fmt.Errorf("verify journal: the daemon ended before the journal was read"))
	}
	if v.json {
		report := map[string]any{
			"schema": verifySchema, "ok": v.done.GetOk(), "sessions": v.done.GetSessions(), "problem_count": v.done.GetProblems(),
		}
		files, problems := []any{}, []any{}
		for _, f := range v.files {
			object, err := console.MessageJSON(f)
			if err != nil {
				return err
			}
			files = append(files, object)
		}
		for _, f := range v.problems {
			object, err := console.MessageJSON(f)
			if err != nil {
				return err
			}
			problems = append(problems, object)
		}
		report["files"], report["problems"] = files, problems
		if err := console.WriteValue(v.p.Stdout, report, "  "); err != nil {
			return err
		}
	} else if v.done.GetOk() {
		fmt.Fprintf(v.p.Stdout, "%s: %d session(s)\n", console.Style(v.p.Terminal.Colour).Green("The journal is sound"), v.done.GetSessions())
	}
	if v.done.GetOk() {
		return nil
	}
	if v.json {
		return exit.Silent(exit.Internal)
	}
	return exit.With(exit.Internal, fmt.Errorf("verify journal: %d problem(s). What is sound can be used; a backup can be restored with "+
		"'betcode journal restore'", v.done.GetProblems()))
}
