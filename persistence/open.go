package persistence

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"betcode/messages"
	"betcode/persistence/internal/blob"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/disk"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/manifest"
)

// Open opens the journal in a directory, and creates it if there is none. It fails with
// [messages.Unavailable] while another process has the journal open, with
// [messages.Unimplemented] if a newer betcode wrote it, and with [messages.DataLoss] if
// files are missing or damaged. It finishes or removes unfinished work of a crash.
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
		_ = s.release() // the first error is the useful one
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

// useCopies calls use, and then makes all copies of the manifest equal.
func (s *Store) useCopies(m *manifest.Manifest, worse []manifest.Copy) error {
	err := s.use(m)
	if err == nil {
		s.mendCopies(worse)
	}
	return err
}

// use opens the active file and checks that the others exist.
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
