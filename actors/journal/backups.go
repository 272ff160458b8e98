package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"betcode/messages"
)

// BackupOptions configure scheduled backups.
type BackupOptions struct {
	Directory string        // of the backups; made with mode 0700
	Every     time.Duration // interval; not positive = no backups
	Keep      int           // how many are kept; 0 = 3
}

const (
	backupsKept  = 3
	backupStamp  = "20060102T150405Z"
	backupPrefix = "journal-"
)

// backupName matches the names of scheduled backups, complete or unfinished. Only matching directories are ever removed.
var backupName = regexp.MustCompile(`^journal-([0-9]{8}T[0-9]{6}Z)(\.unfinished)?$`)

// ScheduledBackup is a copy of the journal from the daemon's schedule.
type ScheduledBackup struct {
	Path string
	At   time.Time
}

// ScheduledBackups lists the complete backups in a directory, the newest first. A directory
// that does not exist has none.
func ScheduledBackups(directory string) ([]ScheduledBackup, error) {
	entries, err := os.ReadDir(directory)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("list backups: %w", err)
	}
	var found []ScheduledBackup
	for _, e := range entries {
		parts := backupName.FindStringSubmatch(e.Name())
		if parts == nil || parts[2] != "" || !e.IsDir() {
			continue
		}
		if at, err := time.Parse(backupStamp, parts[1]); err == nil {
			found = append(found, ScheduledBackup{filepath.Join(directory, e.Name()), at})
		}
	}
	slices.SortFunc(found, func(a, b ScheduledBackup) int { return b.At.Compare(a.At) })
	return found, nil
}

// nextBackup returns the time until the next backup, computed from the newest on the disk.
func nextBackup(o BackupOptions, now time.Time) time.Duration {
	found, err := ScheduledBackups(o.Directory)
	if err != nil || len(found) == 0 || found[0].At.After(now) {
		return 0
	}
	return max(0, found[0].At.Add(o.Every).Sub(now))
}

// makeBackup makes one backup and removes the oldest above the number to keep. It first
// removes an unfinished backup that a crash left: the journal has one daemon, which makes
// one scheduled backup at a time.
func makeBackup(ctx context.Context, store Upkeep, o BackupOptions, now time.Time) (messages.JournalBackup, error) {
	const op = "back up journal"
	if err := os.MkdirAll(o.Directory, 0o700); err != nil {
		return messages.JournalBackup{}, messages.AsError(op, err)
	}
	entries, err := os.ReadDir(o.Directory)
	if err != nil {
		return messages.JournalBackup{}, messages.AsError(op, err)
	}
	for _, e := range entries {
		if parts := backupName.FindStringSubmatch(e.Name()); parts != nil && parts[2] != "" {
			if err := os.RemoveAll(filepath.Join(o.Directory, e.Name())); err != nil {
				return messages.JournalBackup{}, messages.AsError(op, err)
			}
		}
	}
	made, err := store.Backup(ctx, filepath.Join(o.Directory, backupPrefix+now.UTC().Format(backupStamp)), true)
	if err != nil {
		return made, messages.AsError(op, err)
	}
	found, err := ScheduledBackups(o.Directory)
	if keep := cmp.Or(max(o.Keep, 0), backupsKept); err == nil && len(found) > keep {
		for _, old := range found[keep:] {
			err = errors.Join(err, os.RemoveAll(old.Path))
		}
	}
	if err != nil {
		return made, messages.AsError("remove old backups", err)
	}
	return made, nil
}

// OfferBackup returns the hint for a damaged journal: how to restore the newest of its scheduled
// backups, or how to turn on backups.
func OfferBackup(found []ScheduledBackup) string {
	if len(found) == 0 {
		return "The daemon made no backup: 'betcode config set journal.backup_every 1d' has it make one every day."
	}
	return fmt.Sprintf("The newest backup is of %s: betcode journal restore --force %s", found[0].At.Format(time.RFC3339), found[0].Path)
}
