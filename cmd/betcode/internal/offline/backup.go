package offline

import (
	"context"
	"path/filepath"
	"time"

	"betcode/actors/journal"
	"betcode/cmd/betcode/internal/statedir"
	"betcode/grpcapi/translate"
	"betcode/messages"
	"betcode/persistence"
	pb "betcode/proto/betcode/v1"
)

// MadeBackup is a backup that a daemon made by itself.
type MadeBackup struct {
	Path string
	At   time.Time
}

// Backups lists the backups that the daemon of a state directory made by itself, the oldest first.
func Backups(state string) ([]MadeBackup, error) {
	found, err := journal.ScheduledBackups(statedir.Backups(state))
	var all []MadeBackup
	for _, b := range found {
		all = append(all, MadeBackup{Path: b.Path, At: b.At})
	}
	return all, err
}

// Backup copies the journal of a state directory, and those of its orchestrations, to path. The journal is opened as a daemon opens it: what a crash left
// is recovered first. link links files that never change instead of copying them.
func Backup(ctx context.Context, state, path string, link bool) (*pb.BackupJournalResponse, error) {
	directory := statedir.Journal(state)
	if found, _ := filepath.Glob(filepath.Join(directory, "MANIFEST*")); len(found) == 0 { // opening would create a journal
		return nil, messages.Errorf("back up journal", messages.NotFound, "there is no journal in %s", directory)
	}
	store, err := persistence.Open(persistence.Options{Directory: directory, Plans: statedir.Orchestrations(state)})
	if err != nil {
		return nil, err
	}
	defer store.Close()
	done, err := store.Backup(ctx, path, link)
	if err != nil {
		return nil, err
	}
	return translate.JournalBackupOut(done), nil
}
