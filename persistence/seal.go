package persistence

import (
	"os"
	"path/filepath"
	"slices"
	"time"

	"betcode/messages/failpoint"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/manifest"
	"betcode/persistence/internal/memtable"
)

const (
	// A seal carries a bounded amount of old state: at most maxKeys idempotency keys
	// of a session, none older than keyAge, and tombstones no older than tombstoneAge.
	maxKeys      = 8192
	keyAge       = 30 * 24 * time.Hour
	tombstoneAge = 30 * 24 * time.Hour

	// carryBytes is how much one transaction copies.
	carryBytes = 4 << 20
)

// SealDue reports whether the active file has grown so much that it should be sealed.
// The state that it began with does not count, since the next file begins with it too.
func (s *Store) SealDue() bool {
	done, err := s.reading(fault.OpSeal)
	if err != nil {
		return false
	}
	defer done()
	grown := s.active.Size() - s.active.BuiltBytes + s.active.PayloadBytes.Load()
	if s.log != nil {
		grown += s.log.Length()
	}
	return failpoint.Fail(failpoint.SealDue) != nil || grown > s.options.SealBytes
}

// Seal begins a new file: it copies all live state, which is everything but events, and makes
// the old file read-only. Rows of the logs that cannot be moved first go into the new file.
// Reads go on meanwhile; commits wait. A failed Seal changes nothing, unless the error
// asks to open the journal again.
func (s *Store) Seal() error {
	s.moving.Lock()
	defer s.moving.Unlock()
	_ = s.checkpoint(fault.OpSeal) // if it fails, the rows go into the next file
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.seal(fault.OpSeal)
}

// seal is Seal for a caller that holds moving and writing.
func (s *Store) seal(op string) error {
	if err := s.writable(op); err != nil {
		return err
	}
	number, err := boltfile.Number(s.manifest.Active)
	if err != nil {
		return err
	}
	failpoint.Hit(failpoint.SealBegun)
	now, size := s.options.Now(), int64(0)
	large := s.blobs.Spill()
	defer large.Release()
	large.Behind(s.overlay.Load().Over())
	next := &manifest.Manifest{
		Format: boltfile.Format, Lineage: s.lineage, Active: boltfile.Name(number + 1), Logs: s.manifest.Logs, Generation: s.manifest.Generation,
	}
	err = s.build(op, next.Active, s.lineage, func(to *boltfile.File) error {
		over := s.overlay.Load().Over()
		return s.active.View(op, func(tx *boltfile.Tx) error {
			size = tx.Size()
			c := carrier{from: memtable.View{File: tx, Over: over}, to: to, now: now, numbers: s.numbers.Load(), group: s.log.Newest(), large: large}
			return c.all()
		})
	})
	if err != nil {
		return err
	}
	next.Sealed = append(slices.Clone(s.manifest.Sealed),
		manifest.SealedFile{Name: s.manifest.Active, Bytes: size, OutOfLine: s.active.PayloadBytes.Load(), SealedAt: now.UTC()})
	failpoint.Hit(failpoint.SealBuilt)
	renamed, err := next.Write(s.options.Directory, s.options.steps)
	if err != nil && !renamed {
		os.Remove(filepath.Join(s.options.Directory, next.Active))
		return fault.Storage(op, err)
	}
	if err != nil {
		return s.fail(op, err) // it is unknown which manifest is durable
	}
	failpoint.Hit(failpoint.SealNamed)
	return s.switchTo(next)
}

// switchTo continues with the file that the manifest names. That file has all rows of the
// logs.
func (s *Store) switchTo(next *manifest.Manifest) error {
	active, err := s.openActive(next.Active)
	if err != nil {
		return s.fail(fault.OpSeal, err)
	}
	var sealed *index
	if err := active.Look(fault.OpSeal, func(v memtable.View) (err error) {
		sealed, err = buildIndex(v)
		return err
	}); err != nil {
		active.Close()
		return s.fail(fault.OpSeal, err)
	}
	old := s.active
	s.files.Lock()
	s.active, s.manifest, s.index = active, next, sealed
	s.overlay.Store(&memtable.Overlay{Live: memtable.New()})
	s.files.Unlock()
	s.log.Turn()
	s.unmoved.Store(false)
	s.retries.Store(&retries{})
	s.counts.retire(old)
	old.Close() // all of it is durable, so an error loses nothing
	return s.options.steps.At("sealed")
}
