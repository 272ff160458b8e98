package persistence

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"

	"betcode/messages"
	"betcode/persistence/internal/blob"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/disk"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/manifest"
	"betcode/persistence/internal/wal"
)

// Open opens the journal in a directory, and creates it if there is none. It fails with
// [messages.Unavailable] while another process has the journal, with
// [messages.Unimplemented] if a newer betcode wrote it, and with [messages.DataLoss] if
// files are missing or damaged. It finishes or removes what a crash left unfinished.
func Open(options Options) (*Store, error) {
	if options.Directory == "" {
		return nil, messages.Errorf(fault.OpOpen, messages.Invalid, "no directory is given")
	}
	s := &Store{options: options.withDefaults(), sealed: map[string]*boltfile.File{}}
	s.blobs = blob.New(s.options.Directory, s.options.steps)
	prepare, open := s.acquire, s.open
	if s.options.ReadOnly {
		prepare, open = s.share, s.openReadOnly
	} else if err := disk.MakeDirectory(s.options.Directory); err != nil {
		return nil, fault.Storage(fault.OpOpen, err)
	}
	if err := prepare(); err != nil {
		return nil, err
	}
	if err := open(); err != nil {
		if s.active != nil {
			s.active.Close()
		}
		if s.log != nil {
			s.log.Close()
		}
		_ = s.release() // the first error is the one that helps
		return nil, err
	}
	return s, nil
}

// acquire takes the lock of the directory. bbolt locks the active file too, but which
// file is active can be read only under a lock.
func (s *Store) acquire() error {
	s.lock = flock.New(filepath.Join(s.options.Directory, boltfile.LockName))
	ctx, cancel := context.WithTimeout(context.Background(), boltfile.LockTimeout)
	defer cancel()
	locked, err := s.lock.TryLockContext(ctx, boltfile.LockTimeout/20)
	if locked {
		return nil
	}
	s.lock.Close()
	if errors.Is(err, context.DeadlineExceeded) {
		return fault.InUse(fault.OpOpen, s.options.Directory)
	}
	return fault.Storage(fault.OpOpen, err)
}

// share keeps other processes from changing the directory. A backup has no lock.
func (s *Store) share() error {
	path := filepath.Join(s.options.Directory, boltfile.LockName)
	if _, err := os.Stat(path); err != nil {
		return nil //nolint:nilerr // without the file there is no other process
	}
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY))
	locked, err := lock.TryRLock()
	if locked {
		s.lock = lock
		return nil
	}
	lock.Close()
	if err == nil {
		return fault.InUse(fault.OpOpen, s.options.Directory)
	}
	return fault.Storage(fault.OpOpen, err)
}

// openReadOnly is open without anything that changes the directory.
func (s *Store) openReadOnly() error {
	m, worse, err := manifest.Read(s.options.Directory)
	if err != nil {
		return err
	}
	if m == nil {
		return messages.Errorf(fault.OpOpen, messages.NotFound, "there is no journal in %s", s.options.Directory)
	}
	return s.useCopies(m, worse)
}

func (s *Store) open() error {
	m, worse, err := manifest.Read(s.options.Directory)
	if err != nil {
		return err
	}
	if err := s.removeLeftovers(m); err != nil {
		return err
	}
	if m == nil {
		if m, err = s.create(); err != nil {
			return err
		}
	}
	if len(m.Logs) == 0 || m.Format < boltfile.Format {
		if m, err = s.migrate(m); err != nil {
			return err
		}
	}
	return s.useCopies(m, worse)
}

// useCopies is use, after which all copies of the manifest are the same.
func (s *Store) useCopies(m *manifest.Manifest, worse []manifest.Copy) error {
	err := s.use(m)
	if err == nil {
		s.mendCopies(worse)
	}
	return err
}

// use opens the active file and looks at the others from the outside.
func (s *Store) use(m *manifest.Manifest) (err error) {
	s.manifest, s.lineage = m, m.Lineage
	for _, f := range append(m.Sealed, manifest.SealedFile{Name: m.Active}) {
		if err := s.checkPresent(f); err != nil {
			return err
		}
	}
	if s.active, err = s.openActive(m.Active); err != nil {
		return err
	}
	return s.replay()
}

// removeLeftovers removes the files that a crash left unfinished. m is nil if there is
// no journal yet.
func (s *Store) removeLeftovers(m *manifest.Manifest) error {
	entries, err := os.ReadDir(s.options.Directory)
	if err != nil {
		return fault.Storage(fault.OpOpen, err)
	}
	known, numbers, oldest, active := map[string]bool{}, map[uint64]bool{}, uint64(0), uint64(0)
	if m != nil {
		for _, name := range m.Names() {
			known[name] = true
			number, _ := boltfile.Number(name)
			numbers[number] = true
		}
		oldest, _ = boltfile.Number(m.Names()[0])
		active, _ = boltfile.Number(m.Active)
	}
	for _, e := range entries {
		base, half := strings.CutSuffix(e.Name(), disk.Unfinished)
		number, err := boltfile.Number(base)
		switch {
		case half && (err == nil || slices.Contains(manifest.Names, base) || base == formerDirectory):
			if err := os.RemoveAll(filepath.Join(s.options.Directory, e.Name())); err != nil {
				return fault.Storage(fault.OpOpen, err)
			}
		case err == nil && !known[base] && number > active:
			if err := s.removeUnused(m, base); err != nil {
				return err
			}
		case err == nil && !known[base] && (number < oldest || numbers[number]):
			if err := s.removeDropped(m, base); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeUnused removes a file that was created and never used: the crash came before the
// manifest named it. A file with a history of its own is refused, since going on without
// it would lose that history.
func (s *Store) removeUnused(m *manifest.Manifest, name string) error {
	used, err := s.isUsed(m, name)
	if err != nil {
		return err
	}
	if used {
		return historyUnmentioned(name)
	}
	if err := os.Remove(filepath.Join(s.options.Directory, name)); err != nil {
		return fault.Storage(fault.OpOpen, err)
	}
	return nil
}

func historyUnmentioned(name string) *messages.Error {
	return fault.DamagedFile(fault.OpOpen, manifest.Name, fmt.Errorf("it does not mention %s, which holds a history", name)).
		WithHint("MANIFEST is missing or older than the files. If it is missing, 'betcode journal repair' makes it again;" +
			" otherwise restore all of them from the same backup, or move the files that are not wanted elsewhere.")
}

// removeDropped removes a file that was dropped (see [Store.Retain]), was rewritten, or
// was to replace another, when the crash came before its removal. A file of another
// journal, or one that cannot be read, stays: it does no harm.
func (s *Store) removeDropped(m *manifest.Manifest, name string) error {
	path := filepath.Join(s.options.Directory, name)
	f, err := boltfile.Open(fault.OpOpen, path, boltfile.Options{ReadOnly: true})
	if err != nil {
		return nil //nolint:nilerr // left alone
	}
	err = f.CheckDescription(fault.OpOpen, m.Lineage)
	f.Close()
	if err != nil {
		return nil //nolint:nilerr // left alone
	}
	if err := os.Remove(path); err != nil {
		return fault.Storage(fault.OpOpen, err)
	}
	return nil
}

// isUsed reports whether anything was written to a file after it was made.
func (s *Store) isUsed(m *manifest.Manifest, name string) (used bool, err error) {
	f, err := boltfile.Open(fault.OpOpen, filepath.Join(s.options.Directory, name), boltfile.Options{ReadOnly: true})
	if err != nil {
		return false, err
	}
	defer f.Close()
	err = f.View(fault.OpOpen, func(tx *boltfile.Tx) error {
		d, err := boltfile.Description(fault.OpOpen, name, tx)
		if err != nil {
			return err
		}
		used = d.GetBuilt() != tx.ID() || (m != nil && m.Lineage != d.GetLineage())
		return nil
	})
	return used, err
}

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

// build creates a file, whole and on disk, under its name. fill writes its content
// besides its own description. A failure leaves nothing.
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

func (s *Store) openActive(name string) (*boltfile.File, error) {
	f, err := boltfile.Open(fault.OpOpen, filepath.Join(s.options.Directory, name), boltfile.Options{
		InitialMmapSize: s.options.InitialMmapBytes, MaxSize: int(s.options.maxBytes), ReadOnly: s.options.ReadOnly,
	})
	if err != nil {
		return nil, err
	}
	if err := f.CheckDescription(fault.OpOpen, s.lineage); err != nil {
		f.Close()
		return nil, err
	}
	if s.options.growBytes > 0 {
		f.GrowBy(s.options.growBytes)
	}
	f.Payloads = s.blobs
	if err := f.WeighPayloads(fault.OpOpen); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// checkPresent checks existence and size of a file. A sealed file is opened when it is
// first read.
func (s *Store) checkPresent(f manifest.SealedFile) error {
	info, err := os.Stat(filepath.Join(s.options.Directory, f.Name))
	if errors.Is(err, os.ErrNotExist) {
		return fault.DamagedFile(fault.OpOpen, f.Name, errors.New("the file is missing"))
	}
	if err != nil {
		return fault.Storage(fault.OpOpen, err)
	}
	if info.Size() < f.Bytes {
		return fault.DamagedFile(fault.OpOpen, f.Name, fmt.Errorf("it has %d bytes of %d", info.Size(), f.Bytes))
	}
	return nil
}

// makeLogs makes the empty logs of a journal that has none. A log that is there and
// holds groups belongs to another journal, or to this one with a newer MANIFEST.
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
