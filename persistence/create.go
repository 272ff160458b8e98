package persistence

import (
	"errors"
	"os"
	"path/filepath"

	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/disk"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/manifest"
	"betcode/persistence/internal/wal"
)

// create makes the first file of a new journal.
func (s *Store) create() (*manifest.Manifest, error) {
	m := &manifest.Manifest{
		Format: boltfile.Format, Lineage: s.options.NewLineage(), Active: boltfile.Name(1), Sealed: []manifest.SealedFile{}, Logs: wal.Names,
	}
	if err := makeLogs(s.options.Directory); err != nil {
		return nil, err
	}
	if err := s.build(fault.OpOpen, m.Active, m.Lineage, nil); err != nil {
		return nil, err
	}
	if _, err := m.Write(s.options.Directory, s.options.steps); err != nil {
		return nil, fault.Storage(fault.OpOpen, err)
	}
	return m, nil
}

// build creates a file, complete and durable, under its name. fill writes its content
// except its own description. A failure leaves nothing.
func (s *Store) build(op, name, lineage string, fill func(*boltfile.File) error) (err error) {
	number, err := boltfile.Number(name)
	if err != nil {
		return err
	}
	path := filepath.Join(s.options.Directory, name)
	if err := os.Remove(path + disk.Unfinished); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fault.Storage(op, err)
	}
	renamed := false
	defer func() {
		if err != nil {
			os.Remove(path + disk.Unfinished)
			if renamed {
				os.Remove(path)
			}
		}
	}()
	f, err := boltfile.Open(op, path+disk.Unfinished, boltfile.Options{NoSync: true, NoGrowSync: true, MaxSize: int(s.options.maxBytes)})
	if err != nil {
		return err
	}
	err = f.Update(op, boltfile.CreateBuckets)
	if err == nil && fill != nil {
		err = fill(f)
	}
	if err == nil {
		err = f.Update(op, func(tx *boltfile.Tx) error { return boltfile.Describe(tx, number, lineage, s.options.Now()) })
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = disk.SyncFile(path + disk.Unfinished)
	}
	if err == nil {
		err = s.options.steps.At(name + " built")
	}
	if err == nil {
		renamed, err = disk.RenameSynced(path, s.options.steps, name)
	}
	if err != nil {
		return fault.Storage(op, err)
	}
	return nil
}

// makeLogs makes the empty logs of a journal that has none. An existing log with
// groups belongs to another journal, or to this one with a newer MANIFEST.
func makeLogs(directory string) error {
	for _, name := range wal.Names {
		path := filepath.Join(directory, name)
		if data, err := os.ReadFile(path); err == nil && wal.NewestIn(data) > 0 {
			return historyUnmentioned(name)
		}
		if err := disk.WriteSynced(path, nil); err != nil {
			return fault.Storage(fault.OpOpen, err)
		}
	}
	if err := disk.SyncDirectory(directory); err != nil {
		return fault.Storage(fault.OpOpen, err)
	}
	return nil
}
