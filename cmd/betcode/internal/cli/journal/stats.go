package journal

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/offline"
	"betcode/cmd/betcode/internal/output"
	pb "betcode/proto/betcode/v1"
)

func (p group) journalStats(ctx context.Context, c *cli.Context) error {
	if err := base.Arguments(c, 0, 0); err != nil {
		return err
	}
	directory, err := base.JournalDirectory(c)
	if err != nil {
		return err
	}
	var stats *pb.JournalStatsResponse
	if directory != "" {
		stats, err = offline.Stats(directory)
	} else {
		err = p.Connected(ctx, c, func(cl *client.Client) (err error) {
			stats, err = cl.Admin.JournalStats(ctx, &pb.JournalStatsRequest{})
			return err
		})
	}
	if err != nil {
		return err
	}
	return p.Show(c, output.View{Schema: "betcode.journal.stats/v2", Value: stats, Name: "directory", Text: func(w io.Writer, _ output.Look) error {
		writeJournalStats(w, stats, directory == "")
		return nil
	}})
}

func writeJournalStats(w io.Writer, s *pb.JournalStatsResponse, live bool) {
	fmt.Fprintf(w, "Journal: %s\n", console.Line(s.GetDirectory()))
	fmt.Fprintf(w, "Lineage: %s (format %d)\n", console.Line(s.GetLineage()), s.GetFormat())
	fmt.Fprintf(w, "Sessions: %d\n", s.GetSessions())
	fmt.Fprintf(w, "Size: %s in %s\n", console.Size(s.GetTotalBytes()), console.Count(len(s.GetFiles()), "file"))
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
		fmt.Fprintf(w, "  blobs  %s  %s of more than 64 KiB\n", console.Size(s.GetPayloadBytes()), console.Count(s.GetPayloads(), "payload"))
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
	fmt.Fprintf(w, "Reclaimed: %s rewritten, %s removed\n", console.Count(s.GetRewrittenFiles(), "file"), console.Count(s.GetSweptPayloads(), "payload"))
	fmt.Fprintf(w, "Log: %s, checkpoint at %s; %s so far\n", console.Size(s.GetLogBytes()), console.Size(s.GetCheckpointBytes()), console.Count(s.GetCheckpoints(), "checkpoint"))
	if failure := s.GetCheckpointFailure(); failure != "" {
		fmt.Fprintf(w, "  last checkpoint failed: %s\n", console.Line(failure))
	}
	fmt.Fprintf(w, "Since the daemon started: %d events (%s) in %d transactions, %s written, %d appends refused\n",
		s.GetEvents(), console.Size(s.GetEventBytes()), s.GetCommits(), console.Size(s.GetWrittenBytes()), s.GetRefused())
}
