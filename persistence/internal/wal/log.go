package wal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"

	"betcode/messages/failpoint"
	"betcode/persistence/internal/disk"
)

// Names are the names of a journal's logs. They are used in turn: while the rows of
// one are moved into the active file, groups are appended to the other. They are
// overwritten in place, because a write to blocks that already belong to the file is
// cheaper.
var Names = []string{"1.log", "2.log"}

const (
	// logKeepBytes is how large a log may stay when it is started again.
	logKeepBytes = 64 << 20
	// logBufferBytes is how much memory is kept for the next group.
	logBufferBytes = 1 << 20
)

// Log is the two logs of a journal, for writing. Its caller lets one goroutine write at a
// time.
type Log struct {
	files [2]*os.File
	sizes [2]int64 // up to the last written group; -1 = the size that the last process left
	live  int      // the log that groups are appended to
	next  uint64   // the number of the next group
	tag   Tag

	end     atomic.Int64 // of the groups in the live log
	written atomic.Int64 // bytes, into both

	buffer   []byte // memory for the next group, and
	rows     []byte // for its rows while they are made
	maxBytes int64  // tests: where the disk ends; 0 = nowhere
	Steps    disk.Steps
}

// Open opens the logs of a journal for writing, in place: none of their content may be
// needed any more. last is the number of the newest group so far.
func Open(directory string, names []string, o Options) (_ *Log, err error) {
	l := &Log{next: o.Last + 1, tag: o.Tag, maxBytes: o.MaxBytes, Steps: o.Steps, sizes: [2]int64{-1, -1}}
	defer func() {
		if err != nil {
			l.Close()
		}
	}()
	for i, name := range names {
		if l.files[i], err = os.OpenFile(filepath.Join(directory, name), os.O_RDWR, 0); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// Options configure logs.
type Options struct {
	Last     uint64 // number of the newest group so far
	Tag      Tag
	MaxBytes int64 // tests: where the disk ends; 0 = nowhere
	Steps    disk.Steps
}

// Newest returns the number of the newest group.
func (l *Log) Newest() uint64 { return l.next - 1 }

// Length returns how many bytes of groups the live log has.
func (l *Log) Length() int64 { return l.end.Load() }

// WrittenBytes returns how many bytes were written to both logs.
func (l *Log) WrittenBytes() int64 { return l.written.Load() }

// RowsMemory returns memory for the rows of the next group: see [Log.KeepRows].
func (l *Log) RowsMemory() []byte { return l.rows[:0] }

// UnsyncedError is a failed sync: it is unknown whether the group is durable.
type UnsyncedError struct{ Err error }

// Error implements error.
func (e *UnsyncedError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *UnsyncedError) Unwrap() error { return e.Err }

// Append writes a group and returns when it is durable. After an error that is not an
// [UnsyncedError] the log is unchanged.
func (l *Log) Append(owners []Owner, rows []byte) error {
	if len(rows) > maxGroup {
		return fmt.Errorf("a group of %d bytes: %w", len(rows), syscall.EFBIG)
	}
	group := appendGroup(l.buffer[:0], Group{Tag: l.tag, Number: l.next, Owners: owners, Rows: rows})
	l.buffer = keep(group)
	at := l.end.Load()
	end := at + int64(len(group))
	if l.maxBytes > 0 && end > l.maxBytes {
		return &os.PathError{Op: "write", Path: Names[l.live], Err: syscall.ENOSPC}
	}
	failpoint.Hit(failpoint.BeforeLogWrite)
	if err := l.begin(at); err != nil {
		return err
	}
	if _, err := l.Current().WriteAt(group, at); err != nil {
		return err
	}
	l.written.Add(int64(len(group)))
	if err := l.Steps.At("log written"); err != nil {
		return err
	}
	failpoint.Hit(failpoint.AfterLogWrite)
	err := disk.SyncData(l.Current())
	if err == nil {
		err = l.Steps.At("log synced")
	}
	if err != nil {
		return &UnsyncedError{Err: err}
	}
	l.sizes[l.live] = max(l.sizes[l.live], end)
	l.end.Store(end)
	l.next++
	failpoint.Hit(failpoint.AfterLogSync)
	return nil
}

// Current returns the file that groups are appended to.
func (l *Log) Current() *os.File { return l.files[l.live] }

// KeepRows takes back the memory of rows that are in the log, or will never be.
func (l *Log) KeepRows(rows []byte) { l.rows = keep(rows) }

// keep returns memory for reuse. It drops a large piece, since that is rarely
// needed.
func keep(made []byte) []byte {
	if cap(made) > logBufferBytes {
		return nil
	}
	return made
}

// begin prepares a log whose first group is about to be written. It truncates a log that an earlier
// process left: the log was read in large pieces, and the kernel would count, and
// on some systems write, as much for each group.
func (l *Log) begin(at int64) error {
	size, keep := l.sizes[l.live], int64(logKeepBytes)
	if size < 0 {
		keep = 0
	}
	if at > 0 || (size >= 0 && size <= keep) {
		return nil
	}
	err := l.Current().Truncate(keep)
	if err == nil {
		l.sizes[l.live] = keep
	}
	return err
}

// Turn continues at the beginning of the other log, whose rows must not be needed any
// more. It returns the number of the newest group.
func (l *Log) Turn() (newest uint64) {
	l.live = 1 - l.live
	l.end.Store(0)
	failpoint.Hit(failpoint.LogTurned)
	return l.next - 1
}

// Close closes both files.
func (l *Log) Close() (err error) {
	for _, f := range l.files {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
	}
	return err
}
