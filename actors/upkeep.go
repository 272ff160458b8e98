package actors

import (
	"context"

	"betcode/messages"
)

// verifyJournal and backUpJournal run on the caller's goroutine: no actor waits for them.

func (s *System) verifyJournal(ctx context.Context, m messages.VerifyJournal) (messages.Reply, error) {
	report, err := s.options.Store.Verify(ctx, m.Progress)
	if err != nil {
		return nil, messages.AsError("verify journal", err)
	}
	s.damage.Note(s.now(), &report, nil)
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
