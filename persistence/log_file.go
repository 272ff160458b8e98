package persistence

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"

	"betcode/messages/failpoint"
)

// logNames are the names of a journal's logs. They are used in turn: while what
// one holds is moved into the active file, the other is appended to. They are
// written over in place, because a disk is asked for less where it writes what is
// already the file's.
var logNames = []string{"1.log", "2.log"}

const (
	// logKeepBytes is how large a log may stay when it is begun anew.
	logKeepBytes = 64 << 20
	// logBufferBytes is how much memory is kept for the next group.
	logBufferBytes = 1 << 20
)

// commitLog is the two logs as they are written. Its caller sees to it that one
// at a time writes.
type commitLog struct {
	files [2]*os.File
	sizes [2]int64 // as far as groups were written; -1 = it is as the last process left it
	live  int      // the one that is appended to
	next  uint64   // the number of the next group
	tag   journalTag

	end     atomic.Int64 // of the groups in the live one
	written atomic.Int64 // bytes, into both

	buffer   []byte // memory for the next group, and
	rows     []byte // for its rows while they are made
	maxBytes int64  // tests: where the disk ends; 0 = nowhere
	steps    hook
}

// openLogs opens the logs of a journal for writing, whose newest group is last.
// Nothing in them may be needed any more.
func (s *Store) openLogs(last uint64) (_ *commitLog, err error) {
	l := &commitLog{
		next: last + 1, tag: tagOf(s.lineage), maxBytes: s.options.maxBytes, steps: s.options.steps,
		sizes: [2]int64{-1, -1},
	}
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	for i, name := range s.manifest.Logs {
		if l.files[i], err = os.OpenFile(filepath.Join(s.options.Directory, name), os.O_RDWR, 0); err != nil {
			return nil, storageError(opOpen, err)
		}
	}
	return l, nil
}

// unsyncedError is a group of which nobody knows whether it is on the disk.
type unsyncedError struct{ error }

func (e *unsyncedError) Unwrap() error { return e.error }

// append writes a group and returns when it is on disk. After an error that is
// not [unsyncedError] the log is as it was.
func (l *commitLog) append(owners []owner, rows []byte) error {
	if len(rows) > maxGroup {
		return fmt.Errorf("a group of %d bytes: %w", len(rows), syscall.EFBIG)
	}
	group := appendGroup(l.buffer[:0], logGroup{tag: l.tag, number: l.next, owners: owners, rows: rows})
	l.buffer = keep(group)
	at := l.end.Load()
	end := at + int64(len(group))
	if l.maxBytes > 0 && end > l.maxBytes {
		return &os.PathError{Op: "write", Path: logNames[l.live], Err: syscall.ENOSPC}
	}
	failpoint.Hit(failpoint.BeforeLogWrite)
	if err := l.begin(at); err != nil {
		return err
	}
	if _, err := l.files[l.live].WriteAt(group, at); err != nil {
		return err
	}
	l.written.Add(int64(len(group)))
	if err := l.steps.at("log written"); err != nil {
		return err
	}
	failpoint.Hit(failpoint.AfterLogWrite)
	err := syncData(l.files[l.live])
	if err == nil {
		err = l.steps.at("log synced")
	}
	if err != nil {
		return &unsyncedError{err}
	}
	l.sizes[l.live] = max(l.sizes[l.live], end)
	l.end.Store(end)
	l.next++
	failpoint.Hit(failpoint.AfterLogSync)
	return nil
}

// keepRows takes the memory of rows that are in the log, or will never be.
func (l *commitLog) keepRows(rows []byte) { l.rows = keep(rows) }

// keep is the memory that is kept of what was made: once in a while is not worth it.
func keep(made []byte) []byte {
	if cap(made) > logBufferBytes {
		return nil
	}
	return made
}

// begin prepares a log whose first group is about to be written. One that a
// process before left is emptied: it was read in large pieces, and the system
// would count, and on some write, as much for each group.
func (l *commitLog) begin(at int64) error {
	size, keep := l.sizes[l.live], int64(logKeepBytes)
	if size < 0 {
		keep = 0
	}
	if at > 0 || (size >= 0 && size <= keep) {
		return nil
	}
	err := l.files[l.live].Truncate(keep)
	if err == nil {
		l.sizes[l.live] = keep
	}
	return err
}

// turn goes on in the other log, from its beginning. What that holds is needed
// no more. It returns the number of the newest group.
func (l *commitLog) turn() (newest uint64) {
	l.live = 1 - l.live
	l.end.Store(0)
	failpoint.Hit(failpoint.LogTurned)
	return l.next - 1
}

func (l *commitLog) close() (err error) {
	for _, f := range l.files {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
	}
	return err
}

// makeLogs gives a journal that has none its logs, empty. One that is there and
// holds groups is another's, or this one's whose MANIFEST is older.
func makeLogs(directory string) error {
	for _, name := range logNames {
		path := filepath.Join(directory, name)
		if data, err := os.ReadFile(path); err == nil && newestAnywhere(data) > 0 {
			return historyUnmentioned(name)
		}
		if err := writeSynced(path, nil); err != nil {
			return storageError(opOpen, err)
		}
	}
	if err := syncDirectory(directory); err != nil {
		return storageError(opOpen, err)
	}
	return nil
}
