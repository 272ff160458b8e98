package host

import (
	"errors"

	"betcode/actors/journal"
	"betcode/cmd/betcode/internal/statedir"
	"betcode/messages"
)

// offerBackup adds the newest backup to the hint of an error about a damaged journal; without a backup, how to have one.
func offerBackup(err error, state string) error {
	var e *messages.Error
	if !errors.As(err, &e) || e.Kind != messages.DataLoss {
		return err
	}
	found, bad := journal.ScheduledBackups(statedir.Backups(state))
	if bad != nil {
		found = nil
	}
	return e.WithHint(e.Hint + " " + journal.OfferBackup(found))
}
