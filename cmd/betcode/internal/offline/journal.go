package offline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"

	"betcode/grpcapi/translate"
	"betcode/messages"
	"betcode/persistence"
	pb "betcode/proto/betcode/v1"
)

// open opens the journal or the backup in a directory and leaves it unchanged.
func open(directory string) (*persistence.Store, error) {
	return persistence.Open(persistence.Options{Directory: directory, ReadOnly: true})
}

// Stats returns the statistics of the journal in a directory.
func Stats(directory string) (*pb.JournalStatsResponse, error) {
	store, err := open(directory)
	if err != nil {
		return nil, err
	}
	return translate.JournalStatsOut(store.Stats()), store.Close()
}

// Verify reads the journal in a directory from end to end, and those of orchestrations in another (empty = inside, as in a backup),
// and passes its progress and findings to report.
func Verify(ctx context.Context, directory, plans string, report func(*pb.VerifyJournalResponse)) error {
	store, err := persistence.Open(persistence.Options{Directory: directory, Plans: plans, ReadOnly: true})
	if err != nil {
		return err
	}
	defer store.Close()
	findings, err := store.Verify(ctx, func(f messages.JournalFile) { report(translate.JournalFileOut(f)) })
	if err != nil {
		return err
	}
	for _, m := range translate.JournalReportOut(findings) {
		report(m)
	}
	return nil
}

// Sink takes the history of a session: the session first, then its events in their order, then the end.
type Sink interface {
	Session(session *pb.ShowSessionResponse) error
	Event(event *pb.AgentEvent) error
	End() error
}

// Export writes a session of the journal in a directory to a sink. ref names the session as people do.
func Export(ctx context.Context, directory, ref string, to Sink) error {
	store, err := open(directory)
	if err != nil {
		return err
	}
	return errors.Join(export(ctx, store, ref, to), store.Close())
}

func export(ctx context.Context, store *persistence.Store, ref string, to Sink) error {
	id, err := store.Resolve(ref, "")
	if err != nil {
		return err
	}
	loaded, err := store.Load(id)
	if err != nil {
		damaged, found, salvaging := store.Salvage(id)
		if salvaging != nil || !found {
			return errors.Join(err, salvaging)
		}
		loaded.Record = damaged.Record
	}
	if err := to.Session(translate.ViewOut(messages.SessionView{Record: loaded.Record, Run: loaded.Run}, time.Now())); err != nil {
		return err
	}
	for at := messages.Seq(0); at < loaded.Record.Head && ctx.Err() == nil; {
		events, gap, err := store.Salvaged(id, at, 0, 0)
		if err != nil {
			return err
		}
		if gap != nil {
			if err := to.Event(translate.GapOut(id, gap)); err != nil {
				return err
			}
		}
		if len(events) == 0 {
			break
		}
		for _, raw := range events {
			at = raw.Seq
			var e pb.AgentEvent
			if err := proto.Unmarshal(raw.Bytes, &e); err != nil {
				return fmt.Errorf("read event %d: %w", raw.Seq, err)
			}
			if err := to.Event(&e); err != nil {
				return err
			}
		}
	}
	return errors.Join(ctx.Err(), to.End())
}
