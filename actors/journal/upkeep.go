package journal

import (
	"context"
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"betcode/messages"
)

// Maintainer answers requests for the maintenance of the journal's files. It runs on the caller's goroutine, so no actor waits.
type Maintainer struct {
	Store  Store
	Damage *Damage // records damage that is found
	Now    func() time.Time
	Log    func() *zerolog.Logger
}

// Verify reads the journal from end to end.
func (k Maintainer) Verify(ctx context.Context, m messages.VerifyJournal) (messages.Reply, error) {
	report, err := k.Store.Verify(ctx, m.Progress)
	if err != nil {
		return nil, messages.AsError("verify journal", err)
	}
	k.Damage.Note(k.Now(), &report, nil)
	if !report.OK() {
		k.Log().Error().Int("problems", len(report.Problems)).Stringer("first", report.Problems[0]).Msg("journal damaged")
	}
	return report, nil
}

// BackUp copies the journal.
func (k Maintainer) BackUp(ctx context.Context, m messages.BackupJournal) (messages.Reply, error) {
	backup, err := k.Store.Backup(ctx, m.Path, m.Link)
	if err != nil {
		return nil, messages.AsError("back up journal", err)
	}
	k.Log().Info().Str("path", backup.Path).Int64("bytes", backup.Bytes).Int64("linked_bytes", backup.LinkedBytes).
		Dur("paused", backup.Paused).Msg("journal backed up")
	return backup, nil
}

// NoteFindings logs the damage that was found when the journal was opened, and degrades
// health: a disk that flips bits should be replaced even if no data was lost.
func (k Maintainer) NoteFindings() {
	var damage []messages.JournalFinding
	for _, f := range k.Store.Findings() {
		k.Log().Warn().Str("file", f.File).Int64("offset", f.Offset).Str("problem", f.Problem).Str("outcome", f.Outcome).
			Bool("as_after_a_crash", f.Crash).Msg("damage found in the journal")
		if !f.Crash {
			damage = append(damage, f)
		}
	}
	if len(damage) > 0 {
		k.Damage.Note(k.Now(), nil, fmt.Errorf("the journal was opened with %s, the first: %s", messages.Count(len(damage), "damaged place"), damage[0]))
	}
}

// DamagedSessions returns the health line of sessions that cannot be loaded; false if there are none. backup is the hint about
// backups.
func (k Maintainer) DamagedSessions(now time.Time, backup string) (messages.ComponentHealth, bool) {
	number, first := k.Store.DamagedSessions()
	if number == 0 {
		return messages.ComponentHealth{}, false
	}
	return messages.ComponentHealth{
		Name: "sessions", Checked: now, State: "sessions_damaged",
		Message: fmt.Sprintf("%d damaged, %s among them", number, first),
		Reason:  "The journal cannot load some sessions",
		Impact: "They can be exported as far as they can be read (betcode session export ID) and deleted (betcode session delete ID), " +
			"or a backup can be restored (betcode journal restore). " + backup,
	}, true
}
