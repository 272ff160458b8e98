package persistence

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/uuid"
	bolt "go.etcd.io/bbolt"
	"google.golang.org/protobuf/proto"

	"betcode/messages"
	storev1 "betcode/proto/betcode/store/v1"
)

// RestoreOptions says what is restored, and where.
type RestoreOptions struct {
	Backup    string // the directory of a backup
	Directory string // of the journal that is made; its parent exists
	// RunsDirectory is where the new journal's run directories will be. What the
	// backup says about the places and processes of its runs is forgotten: they
	// may be somebody else's now.
	RunsDirectory string
	// Replace moves a journal and run directories that are there aside; they are
	// never removed.
	Replace bool
	// Damaged restores a backup with damage in it. What cannot be read stays so.
	Damaged bool

	Now        func() time.Time // nil = time.Now
	NewLineage func() string    // nil = a random UUID

	steps hook
}

// Restored is a journal that was made from a backup.
type Restored struct {
	Directory string
	Lineage   string   // the new one
	From      string   // the lineage of the backup
	Aside     []string // where that is which was there
	Files     int
	Bytes     int64
	Sessions  int
	Problems  []Problem // of the backup

	// Of the journal that was replaced. It is compared by the numbers of events: one
	// of another lineage may have had others under the same numbers.
	Replaced string        // its lineage, empty for none
	Lost     []SessionLoss // what it had more than the backup, the last changed first
	Unread   error         // why it could not be read
}

// Restore makes a journal from a backup, which it reads from end to end first.
// The new journal has a lineage of its own: what clients know of the other one's
// numbers is void. Nobody may have the journal that is replaced.
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

	present []SessionLoss // sessions of the journal that is replaced, Kept unknown
}

func (r *restorer) restore(ctx context.Context) error {
	if r.o.Replace {
		r.readPresent() // before it is locked
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
	unfinished := r.o.Directory + halfway
	if err := os.Mkdir(unfinished, 0o700); err != nil {
		if errors.Is(err, os.ErrExist) {
			return messages.Errorf(opRestore, messages.AlreadyExists, "%s is there: a restore is under way, or was broken off", unfinished).
				WithHint("Remove it if nothing is being restored.")
		}
		return storageError(opRestore, err)
	}
	if err := r.copy(ctx, m, waiting, unfinished); err != nil {
		os.RemoveAll(unfinished)
		if canceled := ctx.Err(); canceled != nil {
			err = messages.Errorf(opRestore, messages.Canceled, "%w", canceled)
		}
		return err
	}
	return r.putInPlace(unfinished)
}

// checkTarget refuses a place that is taken, and keeps others from one that will
// be replaced.
func (r *restorer) checkTarget() (release func(), err error) {
	nobody := func() {}
	for _, path := range []string{r.o.Directory, r.o.RunsDirectory} {
		err := checkEmpty(opRestore, path)
		if messages.KindOf(err) == messages.AlreadyExists && r.o.Replace && err != nil {
			continue
		}
		if err != nil {
			return nobody, err
		}
	}
	path := filepath.Join(r.o.Directory, lockName)
	if _, err := os.Stat(path); err != nil {
		return nobody, nil //nolint:nilerr // whoever has it would have made the lock
	}
	lock := flock.New(path)
	locked, err := lock.TryLock()
	if err != nil {
		return nobody, storageError(opRestore, err)
	}
	if !locked {
		lock.Close()
		return nobody, inUse(opRestore, r.o.Directory)
	}
	return func() { _ = lock.Close() }, nil
}

// checkBackup reads the backup from end to end. What it has in logs, because it
// is a copy of a journal that nobody closed, is returned as well.
func (r *restorer) checkBackup(ctx context.Context) (*manifest, *overlay, error) {
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
	if !report.OK() && !r.o.Damaged {
		return nil, nil, messages.Errorf(opRestore, messages.DataLoss, "the backup is damaged: %v (%d problems in all)",
			report.Problems[0], len(report.Problems)).WithCode(messages.StorageError).
			WithHint("Use another backup, or restore what can be read of this one by asking for that.")
	}
	return s.manifest, s.overlay.Load(), nil
}

// copy makes the files of the new journal. The manifest comes last.
func (r *restorer) copy(ctx context.Context, from *manifest, waiting *overlay, to string) error {
	m := &manifest{Format: Format, Lineage: r.done.Lineage, Active: from.Active, Sealed: slices.Clone(from.Sealed)}
	for i, name := range m.names() {
		path := filepath.Join(to, name)
		if err := copyFile(ctx, filepath.Join(r.o.Backup, name), path); err != nil {
			return storageError(opRestore, err)
		}
		var rows *overlay
		if name == m.Active {
			rows = waiting
		}
		size, err := r.adopt(path, rows)
		if tolerable := r.o.Damaged && name != m.Active && messages.KindOf(err) == messages.DataLoss; err != nil && !tolerable {
			return err
		}
		if i < len(m.Sealed) && size > 0 {
			m.Sealed[i].Bytes = size
		}
		r.done.Files, r.done.Bytes = r.done.Files+1, r.done.Bytes+size
	}
	copied, _, err := newBlobs(r.o.Backup, nil).copy(ctx, opRestore, to, to, m.names(), copying{damaged: r.o.Damaged})
	if err != nil {
		return err
	}
	r.done.Bytes += copied
	if err := r.o.steps.at("files restored"); err != nil {
		return storageError(opRestore, err)
	}
	if err := syncDirectory(to); err != nil {
		return storageError(opRestore, err)
	}
	if _, err := m.write(to, r.o.steps); err != nil {
		return storageError(opRestore, err)
	}
	return nil
}

// adopt makes a file one of the new journal. The active one gets what waits for
// it in the logs.
func (r *restorer) adopt(path string, waiting *overlay) (size int64, err error) {
	f, err := openBolt(opRestore, path, bolt.Options{NoSync: true})
	if err != nil {
		return 0, err
	}
	large := newBlobs(filepath.Dir(path), nil).spill()
	defer large.release()
	if waiting != nil && waiting.frozen != nil {
		if err := large.rows(waiting.frozen); err != nil {
			f.close()
			return 0, storageError(opRestore, err)
		}
	}
	err = f.update(opRestore, func(tx *bolt.Tx) error {
		d, err := description(opRestore, f.name, tx)
		if err != nil {
			return err
		}
		d.Lineage = r.done.Lineage
		body, err := proto.MarshalOptions{Deterministic: true}.Marshal(d)
		if err != nil {
			return err
		}
		if err := tx.Bucket(bucketMeta).Put(fileKey, stamp(fileKey, body)); err != nil || waiting == nil {
			return err
		}
		if waiting.frozen != nil {
			if err := moveRows(tx, waiting, large); err != nil {
				return err
			}
		}
		if err := r.awaitPersons(tx); err != nil {
			return err
		}
		return r.forgetProcesses(tx)
	})
	size = f.size()
	if closing := f.close(); err == nil {
		err = closing
	}
	if err == nil {
		err = syncFile(path)
	}
	if err != nil {
		return size, storageError(opRestore, err)
	}
	return size, nil
}

// restoredBoot stands for the boot id of processes that are nobody's any more.
const restoredBoot = "restored from a backup"

// forgetProcesses gives every run a place below the new run directories, which
// is empty, and makes its process one of another boot. So a run that had not
// ended gets its end when the daemon looks for it, and no process that lives, of
// another daemon perhaps, is taken for it.
func (r *restorer) forgetProcesses(tx *bolt.Tx) error {
	ids := map[uint64]string{}
	err := tx.Bucket(bucketIDs).ForEach(func(key, value []byte) error {
		var i storev1.Identity
		if err := decode(opRestore, bucketIDs, key, value, &i); err == nil {
			ids[i.GetNumber()] = string(key)
		}
		return nil
	})
	if err != nil {
		return err
	}
	var changed []op
	err = tx.Bucket(bucketRuns).ForEach(func(key, value []byte) error {
		var run storev1.Run
		number, _ := numberOf(key)
		second, ok := secondOf(key)
		if err := decode(opRestore, bucketRuns, key, value, &run); err != nil || !ok {
			return nil //nolint:nilerr // it says so itself when it is read
		}
		run.Directory = filepath.Join(r.o.RunsDirectory, ids[number], strconv.FormatUint(second, 10))
		run.Token = "restored-" + uuid.NewString()
		for _, p := range []*storev1.Process{run.GetProcess(), run.GetLauncher()} {
			if p.GetPid() != 0 {
				p.BootId = restoredBoot
			}
		}
		moved, err := encode(key, &run, nil) // what this build does not know of it is in run
		if err != nil {
			return err
		}
		changed = append(changed, op{bucketRuns, bytes.Clone(key), moved})
		return nil
	})
	for _, o := range changed {
		if err == nil {
			err = tx.Bucket(o.bucket).Put(o.key, o.value)
		}
	}
	return err
}

// putInPlace gives the new journal its name.
func (r *restorer) putInPlace(unfinished string) error {
	suffix := ".replaced-" + r.now.UTC().Format("20060102T150405Z")
	for _, path := range []string{r.o.RunsDirectory, r.o.Directory} {
		if err := checkEmpty(opRestore, path); err == nil {
			continue
		}
		if err := os.Rename(path, path+suffix); err != nil {
			return storageError(opRestore, err)
		}
		r.done.Aside = append(r.done.Aside, path+suffix)
		if err := r.o.steps.at(filepath.Base(path) + " moved aside"); err != nil {
			return storageError(opRestore, err)
		}
	}
	if err := renameDirectory(unfinished, r.o.Directory); err != nil {
		return storageError(opRestore, fmt.Errorf("%w; the new journal is whole, in %s", err, unfinished))
	}
	if err := syncDirectory(filepath.Dir(r.o.Directory)); err != nil {
		return storageError(opRestore, err)
	}
	return nil
}
