package boltfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"betcode/messages"
	"betcode/persistence/internal/disk"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/memtable"
	"betcode/persistence/internal/record"
	storev1 "betcode/proto/betcode/store/v1"
)

// File is one open journal file, a bbolt database. A panic of bbolt, which is its reaction to a
// damaged page, becomes an error.
type File struct {
	Name string
	db   *bolt.DB
	disk *os.File // below db

	Payloads     memtable.Payloads // reads values that are files of their own; nil = they are not read
	BuiltBytes   int64             // the size of the file when it was new
	commits      atomic.Int64
	PayloadBytes atomic.Int64 // of payloads added since the file was new; counted for the active file

	// broken is set when bbolt panicked where it may hold a lock or may have left
	// its tables inconsistent: bbolt is not called again.
	broken atomic.Pointer[messages.Error]
}

const (
	// PageSize is the size of a page in bytes. It does not depend on the machine, so that a file can be moved.
	PageSize = 4096
	// LockTimeout is how long opening waits for the lock of a file.
	LockTimeout = time.Second
)

// Options configure how a journal file is opened.
type Options struct {
	ReadOnly        bool
	NoSync          bool // commits do not sync: the caller syncs the file, or every commit from then on (see File.SyncEach)
	NoGrowSync      bool // growing does not sync either
	MaxSize         int  // bytes; 0 = any
	InitialMmapSize int  // bytes of address space reserved
}

// Open opens a journal file.
func Open(op, path string, o Options) (*File, error) {
	f := &File{Name: filepath.Base(path)}
	options := bolt.Options{
		ReadOnly: o.ReadOnly, NoSync: o.NoSync, NoGrowSync: o.NoGrowSync, MaxSize: o.MaxSize, InitialMmapSize: o.InitialMmapSize,
		Timeout: LockTimeout, PageSize: PageSize, FreelistType: bolt.FreelistMapType,
	}
	options.OpenFile = func(name string, flag int, mode os.FileMode) (_ *os.File, err error) {
		f.disk, err = os.OpenFile(name, flag, mode)
		return f.disk, err
	}
	if info, err := os.Stat(path); options.ReadOnly && err == nil && info.Size() == 0 {
		return nil, fault.DamagedFile(op, f.Name, errors.New("the file is empty")) // bbolt would try to begin it
	}
	err := guarded(op, f.Name, func() (err error) {
		f.db, err = bolt.Open(path, 0o600, &options)
		return err
	})
	if err == nil {
		err = f.checkSize(op)
	}
	if err == nil {
		return f, nil
	}
	f.Close()
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return nil, fault.InUse(op, path)
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrVersionMismatch), errors.Is(err, berrors.ErrChecksum),
		strings.HasPrefix(err.Error(), "file size too small"):
		return nil, fault.DamagedFile(op, f.Name, err)
	case messages.KindOf(err) == messages.DataLoss:
		return nil, err
	}
	return nil, fault.Storage(op, err)
}

// checkSize refuses a file that is shorter than its tables require, because reading beyond the end
// of a mapped file kills the process.
func (f *File) checkSize(op string) error {
	return f.View(op, func(tx *Tx) error {
		info, err := os.Stat(f.db.Path())
		if err != nil {
			return fault.Storage(op, err)
		}
		if info.Size() < tx.Size() {
			return fault.DamagedFile(op, f.Name, fmt.Errorf("it has %d bytes of %d", info.Size(), tx.Size()))
		}
		return nil
	})
}

// View runs fn in a read transaction. fn must copy values that it keeps, and must be short:
// while it runs every commit makes the file grow.
func (f *File) View(op string, fn func(*Tx) error) error {
	return guarded(op, f.Name, func() error {
		tx, err := f.begin(op, false)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }()
		return fn(&Tx{tx})
	})
}

// Look runs fn on the rows of this file alone.
func (f *File) Look(op string, fn func(memtable.View) error) error {
	return f.View(op, func(tx *Tx) error { return fn(memtable.View{File: tx, Payloads: f.Payloads}) })
}

// Update runs fn in a write transaction and commits it, unless fn fails.
func (f *File) Update(op string, fn func(*Tx) error) error {
	return guarded(op, f.Name, func() error {
		tx, err := f.begin(op, true)
		if err != nil {
			return err
		}
		// The changes of fn are in memory only: dropping them is safe, even after a panic.
		defer func() { _ = tx.Rollback() }()
		if err := fn(&Tx{tx}); err != nil {
			return err
		}
		return f.commit(op, tx)
	})
}

func (f *File) begin(op string, writable bool) (tx *bolt.Tx, err error) {
	if broken := f.broken.Load(); broken != nil {
		return nil, fault.Again(op, broken)
	}
	defer f.breakOnPanic(op)()
	tx, err = f.db.Begin(writable)
	if errors.Is(err, berrors.ErrDatabaseNotOpen) {
		return nil, fault.Closed(op)
	}
	if err != nil {
		return nil, fault.Storage(op, err)
	}
	return tx, nil
}

func (f *File) commit(op string, tx *bolt.Tx) error {
	defer f.breakOnPanic(op)()
	if err := tx.Commit(); err != nil {
		return &CommitError{Err: err}
	}
	f.commits.Add(1)
	return nil
}

// Close closes the file, even after a panic of bbolt.
func (f *File) Close() error {
	switch {
	case f.db != nil && f.Usable():
		return f.db.Close()
	case f.disk != nil:
		// bbolt itself may wait for a lock that is never released.
		return errors.Join(unlock(f.disk), f.disk.Close())
	}
	return nil
}

// Written returns how many bytes of pages bbolt has written to a file.
func (f *File) Written() int64 {
	stats := f.db.Stats()
	return stats.TxStats.GetPageAlloc() + f.commits.Load()*PageSize // a meta page each
}

// Size returns how many bytes of the file are or were in use; 0 if that cannot be read.
func (f *File) Size() (n int64) {
	_ = f.View(fault.OpStats, func(tx *Tx) error {
		n = tx.Size()
		return nil
	})
	return n
}

// CursorOf returns a session's cursor in the file, nil if it has none.
func (f *File) CursorOf(op string, number uint64) (*storev1.Cursor, error) {
	var cursor *storev1.Cursor
	err := f.View(op, func(tx *Tx) error {
		key := record.RowKey(number, record.RowCursor)
		value := tx.Get(record.BucketSessions, key)
		if value == nil {
			return nil
		}
		cursor = &storev1.Cursor{}
		return record.Decode(op, record.BucketSessions, key, value, cursor)
	})
	return cursor, err
}

// SyncEach makes every later commit sync, for a file that was opened with NoSync.
func (f *File) SyncEach() { f.db.NoSync = false }

// GrowBy sets by how many bytes the file grows at once.
func (f *File) GrowBy(bytes int) { f.db.AllocSize = bytes }

// VerifyPages calls problem for each damaged or misplaced page.
// endless is true if following the pages would not end: do not read the keys then.
// Nothing may write to the file.
func (f *File) VerifyPages(tx *Tx, problem func(format string, args ...any)) (endless bool, err error) {
	data, unmap, err := disk.Map(f.disk, tx.Size())
	if err != nil {
		return false, err
	}
	defer unmap()
	c := pageCheck{file: data, problem: problem}
	c.check(tx.ID())
	return c.circles, nil
}
