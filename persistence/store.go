package persistence

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/gofrs/flock"

	"betcode/messages"
	"betcode/persistence/internal/blob"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/manifest"
	"betcode/persistence/internal/memtable"
	"betcode/persistence/internal/recovery"
	"betcode/persistence/internal/wal"
)

// Store is an open journal. It is safe for concurrent use. [Store.Commit], [Store.Seal],
// [Store.Retain] and [Store.Close] wait for each other, and for the parts of [Store.Verify]
// and [Store.Backup] that read the active file. All other methods wait only while a seal
// switches files. Commits do not wait for
// [Store.Checkpoint], unless the log is twice as long as intended.
type Store struct {
	options Options
	lock    *flock.Flock
	lineage string

	// The locks, in the order in which they are taken.
	upkeep  sync.RWMutex // read: the sealed files must stay; write: drop them
	moving  sync.Mutex   // write to the active file, or keep it unchanged
	writing sync.Mutex   // append to the log, or switch to the other one
	files   sync.RWMutex // guards the four below and keeps the files open

	manifest *manifest.Manifest
	active   *boltfile.File // nil once closed
	log      *wal.Log       // nil if nothing is written
	index    *index

	overlay atomic.Pointer[memtable.Overlay] // replaced under writing
	numbers atomic.Uint64                    // the newest session number; changed under writing
	unmoved atomic.Bool                      // the logs have rows from before the journal was opened, and are full
	retries atomic.Pointer[retries]          // of failed checkpoints
	failed  atomic.Pointer[messages.Error]   // why nothing is written any more; nil = the journal is writable
	counts  counters
	blobs   *blob.Directory
	staging staging

	findings []messages.JournalFinding // damage found when it was opened; guarded by files
	lost     *recovery.Loss            // what a tolerant opening skipped

	sealedMu sync.Mutex
	sealed   map[string]*boltfile.File // opened by a read
}

// Lineage identifies the journal. A journal restored from a backup has another one,
// so that the two histories cannot be confused.
func (s *Store) Lineage() string { return s.lineage }

// Close closes the journal and releases its lock. It moves the rows of the logs
// into the active file if it can; for the next [Open] that makes no difference. Closing
// twice is allowed.
func (s *Store) Close() error {
	s.moving.Lock()
	defer s.moving.Unlock()
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.active != nil && !s.options.ReadOnly && s.failed.Load() == nil {
		_ = s.checkpointNow(fault.OpClose) // best effort: the rows are in the logs as well
	}
	s.files.Lock()
	defer s.files.Unlock()
	if s.active == nil {
		return nil
	}
	err := s.active.Close()
	s.counts.retire(s.active)
	s.active = nil
	if s.log != nil {
		err = errors.Join(err, s.log.Close())
		s.counts.written.Add(s.log.WrittenBytes())
		s.log = nil
	}
	s.sealedMu.Lock()
	for _, f := range s.sealed {
		err = errors.Join(err, f.Close())
	}
	s.sealed = nil
	s.sealedMu.Unlock()
	if err = errors.Join(err, s.release()); err != nil {
		return fault.Storage(fault.OpClose, err)
	}
	return nil
}

// release releases the directory's lock, if it was taken.
func (s *Store) release() error {
	if s.lock == nil {
		return nil
	}
	return s.lock.Unlock()
}

// reading begins a read. The files stay as they are until done is called.
func (s *Store) reading(op string) (done func(), err error) {
	s.files.RLock()
	if s.active == nil {
		s.files.RUnlock()
		return nil, fault.Closed(op)
	}
	return s.files.RUnlock, nil
}

// entries returns the index of the present file, for readers without I/O. The index of a replaced file does not change any more.
func (s *Store) entries() *index {
	s.files.RLock()
	defer s.files.RUnlock()
	return s.index
}

// current runs fn on the rows of the newest commit. After a failed sync it is
// unknown which these are, so nothing is read.
func (s *Store) current(op string, fn func(memtable.View) error) error {
	done, err := s.readingSound(op)
	if err != nil {
		return err
	}
	defer done()
	return s.look(op, fn)
}

// readingSound is reading for a journal without a failed sync.
func (s *Store) readingSound(op string) (done func(), err error) {
	done, err = s.reading(op)
	if failed := s.failed.Load(); err == nil && failed != nil {
		done()
		return nil, fault.Again(op, failed)
	}
	return done, err
}

// look runs fn on the present rows. The caller is reading.
func (s *Store) look(op string, fn func(memtable.View) error) error {
	s.blobs.BeginRead()
	defer s.blobs.EndRead()
	over := s.overlay.Load().Over() // before the file: see thaw
	return s.active.View(op, func(tx *boltfile.Tx) error { return fn(memtable.View{File: tx, Over: over, Payloads: s.blobs}) })
}

// writable returns why nothing can be written, nil if it can. The caller holds
// writing.
func (s *Store) writable(op string) error {
	switch failed := s.failed.Load(); {
	case s.active == nil:
		return fault.Closed(op)
	case s.options.ReadOnly:
		return fault.ReadOnly(op)
	case failed != nil:
		return fault.Again(op, failed)
	}
	return nil
}

// fail makes the journal refuse all writes until it is opened again, because it is
// unknown which bytes are durable.
func (s *Store) fail(op string, cause error) error {
	e := (&messages.Error{Op: op, Kind: messages.Unavailable, Err: cause}).WithCode(messages.StorageError).
		WithHint("The disk failed to keep what was written: check it. The journal is opened again by itself.")
	s.failed.Store(e)
	return fault.Again(op, e)
}
