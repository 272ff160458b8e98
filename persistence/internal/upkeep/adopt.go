package upkeep

import (
	"bytes"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"betcode/messages"
	"betcode/persistence/internal/blob"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/disk"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/memtable"
	"betcode/persistence/internal/record"
	storev1 "betcode/proto/betcode/store/v1"
)

// Adoption configures the adoption of a copied journal file.
type Adoption struct {
	Lineage       string            // of the new journal
	RunsDirectory string            // where the new journal's run directories will be
	Active        bool              // the file is the active one
	Waiting       *memtable.Overlay // rows of the backup's logs, for the active file; nil = none
}

// Adopt makes a copied file part of a new journal and returns its size. The active
// one gets the rows of the backup's logs. Its processes are detached, and its
// sessions wait for a person.
func Adopt(path string, o Adoption) (size int64, err error) {
	f, err := boltfile.Open(fault.OpRestore, path, boltfile.Options{NoSync: true})
	if err != nil {
		return 0, err
	}
	large := blob.New(filepath.Dir(path), nil).Spill()
	defer large.Release()
	frozen := o.Active && o.Waiting != nil && o.Waiting.Frozen != nil
	if frozen {
		if err := large.Rows(o.Waiting.Frozen); err != nil {
			f.Close()
			return 0, fault.Storage(fault.OpRestore, err)
		}
	}
	err = f.Update(fault.OpRestore, func(tx *boltfile.Tx) error {
		if err := tx.Adopt(fault.OpRestore, f.Name, o.Lineage); err != nil || !o.Active {
			return err
		}
		if frozen {
			if err := boltfile.MoveRows(tx, o.Waiting, large); err != nil {
				return err
			}
		}
		if err := awaitPersons(tx); err != nil {
			return err
		}
		return forgetProcesses(tx, o.RunsDirectory)
	})
	size = f.Size()
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = disk.SyncFile(path)
	}
	if err != nil {
		return size, fault.Storage(fault.OpRestore, err)
	}
	return size, nil
}

// keyed is a value that a walk over a bucket replaces when the walk is over.
type keyed struct{ key, value []byte }

// RestoredBoot is the boot id of processes that a restored journal does not own.
const RestoredBoot = "restored from a backup"

// forgetProcesses gives every run an unused directory below the new run directories, and
// its process another boot id. So a run that had not ended gets its end when
// the daemon looks for it, and no live process, perhaps of another daemon, is mistaken for
// its agent.
func forgetProcesses(tx *boltfile.Tx, runsDirectory string) error {
	ids := map[uint64]string{}
	err := tx.Each(record.BucketIDs, func(key, value []byte) error {
		var i storev1.Identity
		if err := record.Decode(fault.OpRestore, record.BucketIDs, key, value, &i); err == nil {
			ids[i.GetNumber()] = string(key)
		}
		return nil
	})
	if err != nil {
		return err
	}
	var changed []keyed
	err = tx.Each(record.BucketRuns, func(key, value []byte) error {
		var run storev1.Run
		number, _ := record.NumberOf(key)
		second, ok := record.SecondOf(key)
		if err := record.Decode(fault.OpRestore, record.BucketRuns, key, value, &run); err != nil || !ok {
			return nil //nolint:nilerr // reading it reports the damage
		}
		run.Directory = filepath.Join(runsDirectory, ids[number], strconv.FormatUint(second, 10))
		run.Token = "restored-" + uuid.NewString()
		for _, p := range []*storev1.Process{run.GetProcess(), run.GetLauncher()} {
			if p.GetPid() != 0 {
				p.BootId = RestoredBoot
			}
		}
		moved, err := record.Encode(key, &run, nil) // run has the fields that this build does not know
		if err != nil {
			return err
		}
		changed = append(changed, keyed{bytes.Clone(key), moved})
		return nil
	})
	for _, c := range changed {
		if err == nil {
			err = tx.Put(record.BucketRuns, c.key, c.value)
		}
	}
	return err
}

// awaitPersons marks each session with work as waiting for a person, and each that has had
// an agent as one to compare with its transcript. A backup may be old: its directories may no
// longer be trusted, and its messages may have been acted upon since, so starting a daemon
// continues nothing of it. Confirmed permission modes are removed too, because this may be another machine.
func awaitPersons(tx *boltfile.Tx) error {
	busy := map[uint64]bool{}
	err := tx.Each(record.BucketInputs, func(key, _ []byte) error {
		if number, ok := record.NumberOf(key); ok {
			busy[number] = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	var changed []keyed
	err = tx.Each(record.BucketSessions, func(key, value []byte) error {
		number, ok := record.NumberOf(key)
		if !ok || !slices.Equal(key, record.RowKey(number, record.RowSession)) {
			return nil
		}
		var s storev1.Session
		if err := record.Decode(fault.OpRestore, record.BucketSessions, key, value, &s); err != nil {
			return nil //nolint:nilerr // reading it reports the damage
		}
		works := s.GetTurn() || busy[number]
		if !works && s.GetRun() == 0 && len(s.GetConfirmedModes()) == 0 {
			return nil
		}
		if works {
			s.Waiting = messages.WaitsRestored
		}
		s.ConfirmedModes, s.Restored = nil, s.GetRun() > 0
		marked, err := record.Encode(key, &s, nil)
		if err != nil {
			return err
		}
		changed = append(changed, keyed{bytes.Clone(key), marked})
		return nil
	})
	for _, c := range changed {
		if err == nil {
			err = tx.Put(record.BucketSessions, c.key, c.value)
		}
	}
	return err
}
