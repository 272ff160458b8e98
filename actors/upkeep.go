package actors

import (
	"context"

	"betcode/messages"
)

// Upkeep is the part of the journal's files that looks after them. All of it may
// be called while the journal is used.
type Upkeep interface {
	// Stats tells how large the journal is.
	Stats() messages.JournalStats
	// Verify reads it from end to end.
	Verify(ctx context.Context, progress func(messages.JournalFile)) (messages.JournalReport, error)
	// Backup copies it, as it is at one moment, to a new directory.
	Backup(ctx context.Context, path string, link bool) (messages.JournalBackup, error)
	// Retain drops what is older, or more, than is to be kept.
	Retain() (dropped int, err error)
	// Reclaim gives back the room of what nobody needs, which may take long, and
	// for a while so much room, or any amount if that is negative.
	Reclaim(ctx context.Context, room int64) (messages.JournalReclaimed, error)
}

// verifyJournal and backUpJournal work in the goroutine of who asks: no actor
// waits for them.
func (s *System) verifyJournal(ctx context.Context, m messages.VerifyJournal) (messages.Reply, error) {
	report, err := s.options.Store.Verify(ctx, m.Progress)
	if err != nil {
		return nil, messages.AsError("verify journal", err)
	}
	s.noteDamage(&report, nil)
	if !report.OK() {
		s.logOf("journal").Error().Int("problems", len(report.Problems)).Stringer("first", report.Problems[0]).Msg("the journal is damaged")
	}
	return report, nil
}

func (s *System) backUpJournal(ctx context.Context, m messages.BackupJournal) (messages.Reply, error) {
	backup, err := s.options.Store.Backup(ctx, m.Path, m.Link)
	if err != nil {
		return nil, messages.AsError("back up journal", err)
	}
	s.logOf("journal").Info().Str("path", backup.Path).Int64("bytes", backup.Bytes).Int64("linked_bytes", backup.LinkedBytes).
		Dur("paused", backup.Paused).Msg("journal backed up")
	return backup, nil
}
