package boltfile

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	berrors "go.etcd.io/bbolt/errors"

	"betcode/persistence/internal/fault"
)

// ErrUnchanged is returned by the function of [File.Update] if it wrote nothing.
var ErrUnchanged = errors.New("nothing to commit")

// CommitError is the reason why a transaction was not committed.
type CommitError struct{ Err error }

// Error implements error.
func (e *CommitError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *CommitError) Unwrap() error { return e.Err }

// breakOnPanic is deferred around the parts of bbolt that hold locks.
func (f *File) breakOnPanic(op string) func() {
	return func() {
		if cause := recover(); cause != nil {
			f.broken.Store(fault.DamagedFile(op, f.Name, fmt.Errorf("%v", cause)))
			panic(cause)
		}
	}
}

// Usable reports whether bbolt can still be called: see broken.
func (f *File) Usable() bool { return f.broken.Load() == nil }

// guarded runs fn and returns a panic as [messages.DataLoss]: a panic of bbolt about a
// damaged page, or of the runtime when the mapped file was truncated.
func guarded(op, name string, fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if cause := recover(); cause != nil {
			err = fault.DamagedFile(op, name, fmt.Errorf("%v", cause))
		}
	}()
	return fn()
}

// Unclean reports whether the state of the disk is unknown after a failed commit, which is so
// if a sync failed. A write that failed because the disk is full was not visible to readers, and
// the next may succeed.
func Unclean(err error) bool {
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
