package persistence

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"betcode/messages"
)

// file is one open journal file. It keeps bbolt's answer to a damaged page, a
// panic, from being anybody else's.
type file struct {
	name string
	db   *bolt.DB
	disk *os.File // below db

	blobs      *blobs // where it keeps what is out of line
	builtBytes int64  // the size it had when it was new
	commits    atomic.Int64
	blobBytes  atomic.Int64 // out of line, since it was new; of the active one

	// broken is set when bbolt panicked where it may have kept a lock or left
	// its tables half done: nothing more is asked of it.
	broken atomic.Pointer[messages.Error]
}

const (
	pageSize    = 4096 // whatever the machine's, so that a file can move
	lockTimeout = time.Second
)

// openBolt opens a bbolt file.
func openBolt(op, path string, options bolt.Options) (*file, error) {
	f := &file{name: filepath.Base(path)}
	options.Timeout = lockTimeout
	options.PageSize = pageSize
	options.FreelistType = bolt.FreelistMapType
	options.OpenFile = func(name string, flag int, mode os.FileMode) (_ *os.File, err error) {
		f.disk, err = os.OpenFile(name, flag, mode)
		return f.disk, err
	}
	if info, err := os.Stat(path); options.ReadOnly && err == nil && info.Size() == 0 {
		return nil, damagedFile(op, f.name, errors.New("the file is empty")) // bbolt would try to begin it
	}
	err := guarded(op, f.name, func() (err error) {
		f.db, err = bolt.Open(path, 0o600, &options)
		return err
	})
	if err == nil {
		err = f.checkSize(op)
	}
	if err == nil {
		return f, nil
	}
	f.close()
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return nil, inUse(op, path)
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrVersionMismatch), errors.Is(err, berrors.ErrChecksum),
		strings.HasPrefix(err.Error(), "file size too small"):
		return nil, damagedFile(op, f.name, err)
	case messages.KindOf(err) == messages.DataLoss:
		return nil, err
	}
	return nil, storageError(op, err)
}

// checkSize refuses a file that is shorter than its tables say: reading beyond
// the end of a mapped file kills.
func (f *file) checkSize(op string) error {
	return f.view(op, func(tx *bolt.Tx) error {
		info, err := os.Stat(f.db.Path())
		if err != nil {
			return storageError(op, err)
		}
		if info.Size() < tx.Size() {
			return damagedFile(op, f.name, fmt.Errorf("it has %d bytes of %d", info.Size(), tx.Size()))
		}
		return nil
	})
}

// view runs fn in a read transaction. Whatever fn keeps it must copy, and it
// must be short: while it lasts every commit makes the file grow.
func (f *file) view(op string, fn func(*bolt.Tx) error) error {
	return guarded(op, f.name, func() error {
		tx, err := f.begin(op, false)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }()
		return fn(tx)
	})
}

// look is view for one who reads rows of this file alone.
func (f *file) look(op string, fn func(view) error) error {
	return f.view(op, func(tx *bolt.Tx) error { return fn(view{tx: tx, blobs: f.blobs}) })
}

// errUnchanged is what a writer returns to [file.update] when it wrote nothing.
var errUnchanged = errors.New("nothing to commit")

// update runs fn in a write transaction and commits it, unless fn fails.
func (f *file) update(op string, fn func(*bolt.Tx) error) error {
	return guarded(op, f.name, func() error {
		tx, err := f.begin(op, true)
		if err != nil {
			return err
		}
		// What fn did is in memory only: to drop it is safe, even after a panic.
		defer func() { _ = tx.Rollback() }()
		if err := fn(tx); err != nil {
			return err
		}
		return f.commit(op, tx)
	})
}

func (f *file) begin(op string, writable bool) (tx *bolt.Tx, err error) {
	if broken := f.broken.Load(); broken != nil {
		return nil, again(op, broken)
	}
	defer f.breakOnPanic(op)()
	tx, err = f.db.Begin(writable)
	if errors.Is(err, berrors.ErrDatabaseNotOpen) {
		return nil, closed(op)
	}
	if err != nil {
		return nil, storageError(op, err)
	}
	return tx, nil
}

func (f *file) commit(op string, tx *bolt.Tx) error {
	defer f.breakOnPanic(op)()
	if err := tx.Commit(); err != nil {
		return &commitError{err}
	}
	f.commits.Add(1)
	return nil
}

// commitError is why a transaction that was begun did not reach the disk.
type commitError struct{ error }

func (e *commitError) Unwrap() error { return e.error }

// breakOnPanic is deferred around the parts of bbolt that hold locks.
func (f *file) breakOnPanic(op string) func() {
	return func() {
		if cause := recover(); cause != nil {
			f.broken.Store(damagedFile(op, f.name, fmt.Errorf("%v", cause)))
			panic(cause)
		}
	}
}

func (f *file) close() error {
	switch {
	case f.db != nil && f.broken.Load() == nil:
		return f.db.Close()
	case f.disk != nil:
		// bbolt itself may wait for a lock that nobody gives back.
		return errors.Join(unlock(f.disk), f.disk.Close())
	}
	return nil
}

// guarded runs fn and returns a panic as [messages.DataLoss]: bbolt's when a
// page is not what it should be, the runtime's when the mapped file is gone.
func guarded(op, name string, fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if cause := recover(); cause != nil {
			err = damagedFile(op, name, fmt.Errorf("%v", cause))
		}
	}()
	return fn()
}

// unclean reports whether a failed commit leaves open what is on the disk:
// whether a sync failed. A write that failed, for want of space, is not seen by
// anybody, and the next may succeed.
func unclean(err error) bool {
	var path *os.PathError
	switch {
	case errors.As(err, &path):
		return false
	case errors.Is(err, berrors.ErrMaxSizeReached):
		return false
	case strings.HasPrefix(err.Error(), "file resize error"), strings.HasPrefix(err.Error(), "mmap allocate error"):
		return false
	}
	return true
}
