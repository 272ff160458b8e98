package actors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/messages"
)

// BackupOptions say whether the daemon copies its journal by itself.
type BackupOptions struct {
	Directory string        // of the backups; made with mode 0700
	Every     time.Duration // between two; not positive = none are made
	Keep      int           // how many are kept; 0 = 3
}

// backups copies the journal at intervals, while it is used, and removes its oldest copies.
// A copy gets its name when it is complete and synced.
//
// It keeps no state over a restart: the name of the newest copy says when it was made.
type backups struct {
	deps  *System
	hands *act.Worker
	wake  act.Timer
	stop  context.CancelFunc
}

const (
	backupsKept  = 3
	backupFirst  = 10 * time.Second // after a start at the earliest
	backupRetry  = 10 * time.Minute // after a failure, unless the next is due before
	backupStamp  = "20060102T150405Z"
	backupPrefix = "journal-"
)

// backupName matches the names that scheduled backups have, whole or unfinished; nothing
// else is ever removed.
var backupName = regexp.MustCompile(`^journal-([0-9]{8}T[0-9]{6}Z)(\.unfinished)?$`)

// ScheduledBackup is a copy of the journal that the daemon made by itself.
type ScheduledBackup struct {
	Path string
	At   time.Time
}

// ScheduledBackups lists the whole backups in a directory, the newest first. A directory
// that is not there has none.
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

// backupDue is sent when the next backup is due; backupMade is its result. next is the time until the next one.
type (
	backupDue  struct{}
	backupSeen struct{ next time.Duration } // the answer to the look at the start
	backupMade struct {
		backup messages.JournalBackup
		next   time.Duration
		err    error
	}
)

func backupsProps(s *System) *actor.Props {
	return s.tree.Props("backups", s.policy, func() actor.Actor { return &backups{deps: s} })
}

// Receive implements actor.Actor.
func (b *backups) Receive(ctx actor.Context) {
	o := b.deps.options.Backups
	switch m := act.Unwrap(b, ctx.Message()).(type) {
	case *actor.Started:
		b.hands = act.NewWorker(ctx, &b.deps.workers, b)
		if o.Every > 0 {
			now := b.deps.now()
			b.hands.Do(func() any { return backupSeen{nextBackup(o, now)} })
		}
	case *actor.Stopping, *actor.Restarting:
		if b.stop != nil {
			b.stop()
		}
		b.hands.Close(nil)
		b.wake.Stop()
	case backupSeen:
		b.wakeAfter(ctx, max(m.next, backupFirst))
	case backupDue:
		var work context.Context
		work, b.stop = context.WithCancel(context.Background())
		store, now := b.deps.options.Store, b.deps.now()
		b.hands.Do(func() any {
			made, err := makeBackup(work, store, o, now)
			b.deps.backup.look(o)
			return backupMade{made, nextBackup(o, b.deps.now()), err}
		})
	case backupMade:
		b.stop()
		b.deps.backup.note(b.deps.now(), m.err)
		next := m.next
		if m.err != nil {
			next = min(o.Every, backupRetry)
			b.deps.logOf("backups").Error().Err(m.err).Dur("again_in", next).Msg("the journal was not backed up")
		} else {
			b.deps.logOf("backups").Info().Str("path", m.backup.Path).Int64("bytes", m.backup.Bytes).
				Int64("linked_bytes", m.backup.LinkedBytes).Dur("paused", m.backup.Paused).Msg("journal backed up")
		}
		b.wakeAfter(ctx, max(next, time.Second))
	}
}

func (b *backups) wakeAfter(ctx actor.Context, d time.Duration) {
	b.wake.Set(ctx, d, backupDue{})
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
// removes an unfinished backup of a crash: the journal has one daemon, and one scheduled
// backup at a time.
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

// OfferBackup is the hint for a damaged journal: how to restore the newest of its scheduled
// backups, or how to have backups from now on.
func OfferBackup(found []ScheduledBackup) string {
	if len(found) == 0 {
		return "The daemon made no backup: 'betcode config set journal.backup_every 1d' has it make one every day."
	}
	return fmt.Sprintf("The newest backup is of %s: betcode journal restore --force %s", found[0].At.Format(time.RFC3339), found[0].Path)
}

// backupHealth is the result of the last scheduled backup, and the backups that can be restored.
type backupHealth struct {
	mu      sync.Mutex
	failure error
	at      time.Time
	found   []ScheduledBackup
}

// look lists the backups on the disk, for callers that must not wait for it.
func (h *backupHealth) look(o BackupOptions) {
	found, err := ScheduledBackups(o.Directory)
	if err != nil {
		found = nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.found = found
}

// offer is [OfferBackup] for the backups that the last look found.
func (h *backupHealth) offer() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return OfferBackup(h.found)
}

func (h *backupHealth) note(now time.Time, failure error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failure, h.at = failure, now
}

// view is the health line of a backup that failed, if the last one did.
func (h *backupHealth) view() (messages.ComponentHealth, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.failure == nil {
		return messages.ComponentHealth{}, false
	}
	return messages.ComponentHealth{
		Name: "backups", Checked: h.at, State: "backup_failing", Message: h.failure.Error(), Reason: "The journal is not backed up",
		Impact: "The last scheduled backup failed and is tried again. Free some room, or look at the directory 'backups' of the state directory; " +
			"'betcode journal backups' lists what is there",
	}, true
}
