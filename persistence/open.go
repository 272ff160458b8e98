package persistence

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
	bolt "go.etcd.io/bbolt"
	"google.golang.org/protobuf/proto"

	"betcode/messages"
	storev1 "betcode/proto/betcode/store/v1"
)

const lockName = "LOCK"

// Open opens the journal in a directory, making it first if there is none. It
// fails with [messages.Unavailable] while another process has it, with
// [messages.Unimplemented] if a newer betcode wrote it, and with
// [messages.DataLoss] if files are missing or damaged. What a crash left half
// done is finished or removed.
func Open(options Options) (*Store, error) {
	if options.Directory == "" {
		return nil, messages.Errorf(opOpen, messages.Invalid, "no directory is given")
	}
	s := &Store{options: options.withDefaults(), sealed: map[string]*file{}}
	s.blobs = newBlobs(s.options.Directory, s.options.steps)
	prepare, open := s.acquire, s.open
	if s.options.ReadOnly {
		prepare, open = s.share, s.openReadOnly
	} else if err := makeDirectory(s.options.Directory); err != nil {
		return nil, storageError(opOpen, err)
	}
	if err := prepare(); err != nil {
		return nil, err
	}
	if err := open(); err != nil {
		if s.active != nil {
			s.active.close()
		}
		if s.log != nil {
			s.log.close()
		}
		_ = s.release() // the first error is the one that helps
		return nil, err
	}
	return s, nil
}

// acquire takes the directory's lock. bbolt locks the active file as well, but
// which file that is can be read only under a lock.
func (s *Store) acquire() error {
	s.lock = flock.New(filepath.Join(s.options.Directory, lockName))
	ctx, cancel := context.WithTimeout(context.Background(), lockTimeout)
	defer cancel()
	locked, err := s.lock.TryLockContext(ctx, lockTimeout/20)
	if locked {
		return nil
	}
	s.lock.Close()
	if errors.Is(err, context.DeadlineExceeded) {
		return inUse(opOpen, s.options.Directory)
	}
	return storageError(opOpen, err)
}

// share keeps others from changing the directory, if anybody could: a backup has
// no lock.
func (s *Store) share() error {
	path := filepath.Join(s.options.Directory, lockName)
	if _, err := os.Stat(path); err != nil {
		return nil //nolint:nilerr // no lock, nobody to share with
	}
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY))
	locked, err := lock.TryRLock()
	if locked {
		s.lock = lock
		return nil
	}
	lock.Close()
	if err == nil {
		return inUse(opOpen, s.options.Directory)
	}
	return storageError(opOpen, err)
}

// openReadOnly is open without anything that changes the directory.
func (s *Store) openReadOnly() error {
	m, worse, err := readCopies(s.options.Directory)
	if err != nil {
		return err
	}
	if m == nil {
		return messages.Errorf(opOpen, messages.NotFound, "there is no journal in %s", s.options.Directory)
	}
	return s.useCopies(m, worse)
}

func (s *Store) open() error {
	m, worse, err := readCopies(s.options.Directory)
	if err != nil {
		return err
	}
	if err := s.tidy(m); err != nil {
		return err
	}
	if m == nil {
		if m, err = s.create(); err != nil {
			return err
		}
	}
	if len(m.Logs) == 0 || m.Format < Format {
		if m, err = s.migrate(m); err != nil {
			return err
		}
	}
	return s.useCopies(m, worse)
}

// useCopies is use, after which all copies of the manifest are the same.
func (s *Store) useCopies(m *manifest, worse []manifestCopy) error {
	err := s.use(m)
	if err == nil {
		s.mendCopies(worse)
	}
	return err
}

// use opens the active file and looks at the others from the outside.
func (s *Store) use(m *manifest) (err error) {
	s.manifest, s.lineage = m, m.Lineage
	for _, f := range append(m.Sealed, sealedFile{Name: m.Active}) {
		if err := s.checkPresent(f); err != nil {
			return err
		}
	}
	if s.active, err = s.openActive(m.Active); err != nil {
		return err
	}
	return s.replay()
}

// tidy removes what a crash left of a file being made. m is nil if there is no
// journal yet.
func (s *Store) tidy(m *manifest) error {
	entries, err := os.ReadDir(s.options.Directory)
	if err != nil {
		return storageError(opOpen, err)
	}
	known, numbers, oldest, active := map[string]bool{}, map[uint64]bool{}, uint64(0), uint64(0)
	if m != nil {
		for _, name := range m.names() {
			known[name] = true
			number, _ := fileNumber(name)
			numbers[number] = true
		}
		oldest, _ = fileNumber(m.names()[0])
		active, _ = fileNumber(m.Active)
	}
	for _, e := range entries {
		base, half := strings.CutSuffix(e.Name(), unfinished)
		number, err := fileNumber(base)
		switch {
		case half && (err == nil || slices.Contains(manifestCopies, base) || base == formerDirectory):
			if err := os.RemoveAll(filepath.Join(s.options.Directory, e.Name())); err != nil {
				return storageError(opOpen, err)
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

// removeUnused removes a file that was made but never put to use: the crash
// came before the manifest. A file with a history of its own is no such file;
// to go on without it would lose that history.
func (s *Store) removeUnused(m *manifest, name string) error {
	used, err := s.isUsed(m, name)
	if err != nil {
		return err
	}
	if used {
		return historyUnmentioned(name)
	}
	if err := os.Remove(filepath.Join(s.options.Directory, name)); err != nil {
		return storageError(opOpen, err)
	}
	return nil
}

func historyUnmentioned(name string) *messages.Error {
	return damagedFile(opOpen, manifestName, fmt.Errorf("it does not mention %s, which holds a history", name)).
		WithHint("MANIFEST is missing or older than the files. If it is missing, 'betcode journal repair' makes it again;" +
			" otherwise restore all of them from the same backup, or move the files that are not wanted elsewhere.")
}

// removeDropped removes a file that was dropped (see [Store.Retain]), or that was
// rewritten or was to take the place of another, when the crash came before its
// removal. One that is not ours, or that cannot be read,
// is left alone: it harms nobody.
func (s *Store) removeDropped(m *manifest, name string) error {
	path := filepath.Join(s.options.Directory, name)
	f, err := openBolt(opOpen, path, bolt.Options{ReadOnly: true})
	if err != nil {
		return nil //nolint:nilerr // left alone
	}
	err = f.checkDescription(opOpen, m.Lineage)
	f.close()
	if err != nil {
		return nil //nolint:nilerr // left alone
	}
	if err := os.Remove(path); err != nil {
		return storageError(opOpen, err)
	}
	return nil
}

// isUsed reports whether anything was written to a file after it was made.
func (s *Store) isUsed(m *manifest, name string) (used bool, err error) {
	f, err := openBolt(opOpen, filepath.Join(s.options.Directory, name), bolt.Options{ReadOnly: true})
	if err != nil {
		return false, err
	}
	defer f.close()
	err = f.view(opOpen, func(tx *bolt.Tx) error {
		d, err := description(opOpen, name, tx)
		if err != nil {
			return err
		}
		used = d.GetBuilt() != uint64(tx.ID()) || (m != nil && m.Lineage != d.GetLineage())
		return nil
	})
	return used, err
}

// create makes the first file of a new journal.
func (s *Store) create() (*manifest, error) {
	m := &manifest{
		Format: Format, Lineage: s.options.NewLineage(), Active: fileName(1), Sealed: []sealedFile{}, Logs: logNames,
	}
	if err := makeLogs(s.options.Directory); err != nil {
		return nil, err
	}
	if err := s.build(opOpen, m.Active, m.Lineage, nil); err != nil {
		return nil, err
	}
	if _, err := m.write(s.options.Directory, s.options.steps); err != nil {
		return nil, storageError(opOpen, err)
	}
	return m, nil
}

// build makes a file, whole and on disk, under its name: fill writes what is in
// it besides its own description. Nothing is left of a failure.
func (s *Store) build(op, name, lineage string, fill func(*file) error) (err error) {
	number, err := fileNumber(name)
	if err != nil {
		return err
	}
	path := filepath.Join(s.options.Directory, name)
	if err := os.Remove(path + unfinished); err != nil && !errors.Is(err, os.ErrNotExist) {
		return storageError(op, err)
	}
	renamed := false
	defer func() {
		if err != nil {
			os.Remove(path + unfinished)
			if renamed {
				os.Remove(path)
			}
		}
	}()
	f, err := openBolt(op, path+unfinished, bolt.Options{NoSync: true, NoGrowSync: true, MaxSize: int(s.options.maxBytes)})
	if err != nil {
		return err
	}
	err = f.update(op, createBuckets)
	if err == nil && fill != nil {
		err = fill(f)
	}
	if err == nil {
		err = f.update(op, func(tx *bolt.Tx) error { return describeFile(tx, number, lineage, s.options.Now()) })
	}
	if closing := f.close(); err == nil {
		err = closing
	}
	if err == nil {
		err = syncFile(path + unfinished)
	}
	if err == nil {
		err = s.options.steps.at(name + " built")
	}
	if err == nil {
		renamed, err = renameSynced(path, s.options.steps, name)
	}
	if err != nil {
		return storageError(op, err)
	}
	return nil
}

func createBuckets(tx *bolt.Tx) error {
	for _, name := range buckets {
		if _, err := tx.CreateBucket(name); err != nil {
			return err
		}
	}
	return nil
}

func describeFile(tx *bolt.Tx, number uint64, lineage string, now time.Time) error {
	body, err := proto.MarshalOptions{Deterministic: true}.Marshal(&storev1.File{
		Format: Format, Lineage: lineage, Number: number, CreatedAt: storeTime(now), Built: uint64(tx.ID()), BuiltBytes: tx.Size(),
	})
	if err != nil {
		return err
	}
	return tx.Bucket(bucketMeta).Put(fileKey, stamp(fileKey, body))
}

func (s *Store) openActive(name string) (*file, error) {
	f, err := openBolt(opOpen, filepath.Join(s.options.Directory, name), bolt.Options{
		InitialMmapSize: s.options.InitialMmapBytes, MaxSize: int(s.options.maxBytes), ReadOnly: s.options.ReadOnly,
	})
	if err != nil {
		return nil, err
	}
	if err := f.checkDescription(opOpen, s.lineage); err != nil {
		f.close()
		return nil, err
	}
	if s.options.growBytes > 0 {
		f.db.AllocSize = s.options.growBytes
	}
	f.blobs = s.blobs
	if err := f.weighBlobs(opOpen); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// checkPresent looks at a file from the outside. A sealed one is opened only
// when somebody reads it.
func (s *Store) checkPresent(f sealedFile) error {
	info, err := os.Stat(filepath.Join(s.options.Directory, f.Name))
	if errors.Is(err, os.ErrNotExist) {
		return damagedFile(opOpen, f.Name, errors.New("the file is missing"))
	}
	if err != nil {
		return storageError(opOpen, err)
	}
	if info.Size() < f.Bytes {
		return damagedFile(opOpen, f.Name, fmt.Errorf("it has %d bytes of %d", info.Size(), f.Bytes))
	}
	return nil
}

// checkDescription refuses a file that is not what its name says.
func (f *file) checkDescription(op, lineage string) error {
	number, err := fileNumber(f.name)
	if err != nil {
		return err
	}
	return f.view(op, func(tx *bolt.Tx) error {
		d, err := description(op, f.name, tx)
		if err != nil {
			return err
		}
		if d.GetLineage() != lineage || d.GetNumber() != number {
			return damagedFile(op, f.name, fmt.Errorf("it is file %d of journal %s, not file %d of %s",
				d.GetNumber(), d.GetLineage(), number, lineage)).
				WithHint("Files of different journals are mixed: restore all of them from the same backup.")
		}
		f.builtBytes = d.GetBuiltBytes()
		return nil
	})
}

// description returns what a file says of itself, if this build can read it.
func description(op, name string, tx *bolt.Tx) (*storev1.File, error) {
	meta := tx.Bucket(bucketMeta)
	if meta == nil {
		return nil, damagedFile(op, name, fmt.Errorf("bucket %s is missing", bucketMeta))
	}
	var d storev1.File
	body, err := unstamp(fileKey, meta.Get(fileKey))
	if err == nil {
		err = proto.Unmarshal(body, &d)
	}
	if err != nil {
		return nil, damagedKey(op, bucketMeta, fileKey, err)
	}
	if err := checkFormat(name, int(d.GetFormat())); err != nil {
		return nil, err
	}
	for _, bucket := range buckets {
		if tx.Bucket(bucket) == nil {
			return nil, damagedFile(op, name, fmt.Errorf("bucket %s is missing", bucket))
		}
	}
	return &d, nil
}
