package persistence

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"betcode/messages"
	"betcode/persistence/internal/blob"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/disk"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/manifest"
	"betcode/persistence/internal/memtable"
	"betcode/persistence/internal/upkeep"
	"betcode/persistence/planlog"
)

// RestoreOptions configure a restore.
type RestoreOptions struct {
	Backup    string // the directory of a backup
	Directory string // of the journal that is made; its parent exists
	// RunsDirectory is where the new journal's run directories will be. The places and
	// processes of runs in the backup are removed, because other runs may have
	// them now.
	RunsDirectory string
	// PlansDirectory is where the journals of orchestrations of the backup will be;
	// empty = none are restored.
	PlansDirectory string
	// Replace moves an existing journal, journals of orchestrations and run directories
	// aside; they are never removed.
	Replace bool
	// Damaged restores a damaged backup. Its unreadable parts stay unreadable.
	Damaged bool

	Now        func() time.Time // nil = time.Now
	NewLineage func() string    // nil = a random UUID

	steps disk.Steps
}

// Restored is a journal that was made from a backup.
type Restored struct {
	Directory string
	Lineage   string   // the new one
	From      string   // the lineage of the backup
	Aside     []string // where the replaced directories are now
	Files     int
	Bytes     int64
	Sessions  int
	Plans     int       // orchestrations
	Problems  []Problem // of the backup

	// About the replaced journal. Sessions are compared by the numbers of events; a journal
	// of another lineage may have had other events under the same numbers.
	Replaced  string        // its lineage, empty for none
	Lost      []SessionLoss // its sessions with more events than the backup, the last changed first
	LostPlans []PlanLoss    // the same for orchestrations
	Unread    error         // why it could not be read
}

// Restore makes a journal of a backup, which it verifies first. The new journal has a
// lineage of its own, so clients do not take its numbers for those of the old one. No
// process may have the replaced journal open.
func Restore(ctx context.Context, o RestoreOptions) (Restored, error) {
	defaults := Options{Now: o.Now, NewLineage: o.NewLineage}.withDefaults()
	r := restorer{o: o, now: defaults.Now()}
	r.done = Restored{Directory: o.Directory, Lineage: defaults.NewLineage()}
	err := r.restore(ctx)
	return r.done, err
}

type restorer struct {
	o    RestoreOptions
	now  time.Time
	done Restored

	present []SessionLoss     // sessions of the journal that is replaced, Kept unknown
	plans   []planlog.Checked // orchestrations beside it
}

func (r *restorer) restore(ctx context.Context) error {
	if r.o.Replace {
		r.readPresent() // before it is locked
		if err := r.readPlans(ctx); err != nil {
			return err
		}
	}
	release, err := r.checkTarget()
	if err != nil {
		return err
	}
	defer release()
	m, waiting, err := r.checkBackup(ctx)
	if err != nil {
		return err
	}
	unfinished := r.o.Directory + upkeep.Halfway
	if err := os.Mkdir(unfinished, 0o700); err != nil {
		if errors.Is(err, os.ErrExist) {
			return messages.Errorf(fault.OpRestore, messages.AlreadyExists, "%s is there: a restore is under way, or was broken off", unfinished).
				WithHint("Remove it if nothing is being restored.")
		}
		return fault.Storage(fault.OpRestore, err)
	}
	if err = r.copy(ctx, m, waiting, unfinished); err == nil {
		err = r.copyPlans(ctx)
	}
	if err != nil {
		os.RemoveAll(unfinished)
		if canceled := ctx.Err(); canceled != nil {
			err = messages.Errorf(fault.OpRestore, messages.Canceled, "%w", canceled)
		}
		return err
	}
	return r.putInPlace(unfinished)
}

// places returns the directories that must not exist, in the order in which they are moved aside.
func (r *restorer) places() []string {
	all := []string{r.o.RunsDirectory, r.o.Directory}
	if r.o.PlansDirectory != "" {
		all = append(all, r.o.PlansDirectory)
	}
	return all
}

// checkTarget refuses an existing target, and locks one that will be replaced against
// other processes.
func (r *restorer) checkTarget() (release func(), err error) {
	unlocked := func() {}
	for _, path := range r.places() {
		err := upkeep.CheckEmpty(fault.OpRestore, path)
		if messages.KindOf(err) == messages.AlreadyExists && r.o.Replace && err != nil {
			continue
		}
		if err != nil {
			return unlocked, err
		}
	}
	path := filepath.Join(r.o.Directory, boltfile.LockName)
	if _, err := os.Stat(path); err != nil {
		return unlocked, nil //nolint:nilerr // a process that had it open would have made the lock
	}
	lock := flock.New(path)
	locked, err := lock.TryLock()
	if err != nil {
		return unlocked, fault.Storage(fault.OpRestore, err)
	}
	if !locked {
		lock.Close()
		return unlocked, fault.InUse(fault.OpRestore, r.o.Directory)
	}
	return func() { _ = lock.Close() }, nil
}

// checkBackup verifies the backup. It also returns the rows in its logs, which a copy of a
// journal that was not closed has.
func (r *restorer) checkBackup(ctx context.Context) (*manifest.Manifest, *memtable.Overlay, error) {
	s, err := Open(Options{Directory: r.o.Backup, ReadOnly: true})
	if err != nil {
		return nil, nil, err
	}
	defer s.Close()
	report, err := s.Verify(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	r.done.From, r.done.Sessions, r.done.Problems = s.lineage, report.Sessions, report.Problems
	r.compareWith(s)
	if err := r.comparePlans(ctx); err != nil {
		return nil, nil, err
	}
	if !report.OK() && !r.o.Damaged {
		return nil, nil, messages.Errorf(fault.OpRestore, messages.DataLoss, "the backup is damaged: %v (%d problems in all)",
			report.Problems[0], len(report.Problems)).WithCode(messages.StorageError).
			WithHint("Use another backup, or restore what can be read of this one by asking for that.")
	}
	return s.manifest, s.overlay.Load(), nil
}

// copy makes the files of the new journal. The manifest comes last.
func (r *restorer) copy(ctx context.Context, from *manifest.Manifest, waiting *memtable.Overlay, to string) error {
	m := &manifest.Manifest{Format: boltfile.Format, Lineage: r.done.Lineage, Active: from.Active, Sealed: slices.Clone(from.Sealed)}
	for i, name := range m.Names() {
		path := filepath.Join(to, name)
		if err := disk.CopyFile(ctx, filepath.Join(r.o.Backup, name), path); err != nil {
			return fault.Storage(fault.OpRestore, err)
		}
		size, err := upkeep.Adopt(path, upkeep.Adoption{
			Lineage: r.done.Lineage, RunsDirectory: r.o.RunsDirectory, Active: name == m.Active, Waiting: waiting,
		})
		if tolerable := r.o.Damaged && name != m.Active && messages.KindOf(err) == messages.DataLoss; err != nil && !tolerable {
			return err
		}
		if i < len(m.Sealed) && size > 0 {
			m.Sealed[i].Bytes = size
		}
		r.done.Files, r.done.Bytes = r.done.Files+1, r.done.Bytes+size
	}
	copied, _, err := blob.New(r.o.Backup, nil).Copy(ctx, fault.OpRestore, to, to, m.Names(), blob.CopyOptions{Damaged: r.o.Damaged})
	if err != nil {
		return err
	}
	r.done.Bytes += copied
	if err := r.o.steps.At("files restored"); err != nil {
		return fault.Storage(fault.OpRestore, err)
	}
	if err := disk.SyncDirectory(to); err != nil {
		return fault.Storage(fault.OpRestore, err)
	}
	if _, err := m.Write(to, r.o.steps); err != nil {
		return fault.Storage(fault.OpRestore, err)
	}
	return nil
}

// putInPlace renames the new journal.
func (r *restorer) putInPlace(unfinished string) error {
	suffix := upkeep.FreeSuffix("replaced", r.now, r.places()...)
	for _, path := range r.places() {
		if err := upkeep.CheckEmpty(fault.OpRestore, path); err == nil {
			continue
		}
		if err := os.Rename(path, path+suffix); err != nil {
			return fault.Storage(fault.OpRestore, err)
		}
		r.done.Aside = append(r.done.Aside, path+suffix)
		if err := r.o.steps.At(filepath.Base(path) + " moved aside"); err != nil {
			return fault.Storage(fault.OpRestore, err)
		}
	}
	if r.o.PlansDirectory != "" {
		if err := disk.RenameDirectory(r.o.PlansDirectory+upkeep.Halfway, r.o.PlansDirectory); err != nil {
			return fault.Storage(fault.OpRestore, fmt.Errorf("%w; the new journal is whole, in %s", err, unfinished))
		}
	}
	if err := disk.RenameDirectory(unfinished, r.o.Directory); err != nil {
		return fault.Storage(fault.OpRestore, fmt.Errorf("%w; the new journal is whole, in %s", err, unfinished))
	}
	if err := disk.SyncDirectory(filepath.Dir(r.o.Directory)); err != nil {
		return fault.Storage(fault.OpRestore, err)
	}
	return nil
}
