package spool

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"betcode/messages"
)

// Options of a [Reader]; zero values stand for the defaults.
type Options struct {
	MaxLine int // a longer line is cut; default 64 MiB
	Chunk   int // most bytes of one read; default 256 KiB

	Open func(path string) (File, error) // default os.Open
}

// File is the part of a spool's file that a [Reader] needs.
type File interface {
	io.ReaderAt
	io.Closer
	Stat() (fs.FileInfo, error)
}

// Line is one complete line.
type Line struct {
	Bytes []byte // without the newline; nil if Cut
	Cut   bool   // longer than Options.MaxLine
	Size  int64  // its length without the newline
	End   int64  // where the next line starts
}

// Batch is the result of one call of [Reader.Next]. Its lines are in memory of the
// reader: they are valid until its next call.
type Batch struct {
	From, To int64 // where its first line starts, and the line behind its last
	Lines    []Line
	More     bool // the file had more when this was read
}

// Reader reads one spool. It is used by one goroutine at a time.
type Reader struct {
	file    File
	path    string
	maxLine int
	chunk   int

	from    int64  // start of the next line
	read    int64  // how far the file has been read
	pending []byte // the bytes from from to read, unless cutting; may share memory
	cutting bool   // that line is too long: only its end is searched

	memory []byte // of the previous batch, for the next; empty when that was a large one
	lines  []Line // the same
	spans  []span
}

// How much memory a reader keeps between batches, and while there are none. A
// batch with long lines has its own.
const (
	keptMemory = 64 << 10
	restMemory = 4 << 10
)

const opRead = "read spool"

// Open opens the spool at path, to read from offset, which is 0 or To of an
// earlier Batch.
func Open(path string, offset int64, o Options) (*Reader, error) {
	open := o.Open
	if open == nil {
		open = func(path string) (File, error) { return os.Open(path) }
	}
	file, err := open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &messages.Error{Op: opRead, Kind: messages.NotFound, Err: err}
	case err != nil:
		return nil, &messages.Error{Op: opRead, Kind: messages.Unavailable, Err: err}
	}
	r := &Reader{file: file, path: path, maxLine: o.MaxLine, chunk: o.Chunk, from: offset, read: offset}
	if r.maxLine <= 0 {
		r.maxLine = 64 << 20
	}
	if r.chunk <= 0 {
		r.chunk = 256 << 10
	}
	if err := r.check(); err != nil {
		file.Close()
		return nil, err
	}
	return r, nil
}

// check reports whether offset can be the start of a line, or the end of a run's
// spool behind its tail.
func (r *Reader) check() error {
	if r.from < 0 {
		return messages.Errorf(opRead, messages.Invalid, "offset %d", r.from)
	}
	if _, err := r.size(); err != nil || r.from == 0 {
		return err
	}
	var before [1]byte
	if _, err := r.file.ReadAt(before[:], r.from-1); err != nil {
		return &messages.Error{Op: opRead, Kind: messages.Unavailable, Err: err}
	}
	if size, err := r.file.Stat(); before[0] != '\n' && (err != nil || size.Size() != r.from) {
		return messages.Errorf(opRead, messages.DataLoss, "offset %d of %s is not the start of a line", r.from, r.path)
	}
	return nil
}

// rewind goes back to the start of the next line, at from: bytes that were read
// behind it are read again.
func (r *Reader) rewind(from int64) {
	r.from, r.read, r.cutting = from, from, false
	r.pending, r.memory, r.lines, r.spans = nil, nil, nil, nil
}

// size returns the length of the file, and DataLoss if it is shorter than the part that has
// been read.
func (r *Reader) size() (int64, error) {
	info, err := r.file.Stat()
	if err != nil {
		return 0, &messages.Error{Op: opRead, Kind: messages.Unavailable, Err: err}
	}
	if info.Size() < r.read {
		return 0, messages.Errorf(opRead, messages.DataLoss, "%s has %d bytes, %d were read", r.path, info.Size(), r.read)
	}
	return info.Size(), nil
}

// Offset returns the start of the next line.
func (r *Reader) Offset() int64 { return r.from }

// Behind returns how many bytes of the spool have not been delivered.
func (r *Reader) Behind() (int64, error) {
	size, err := r.size()
	return size - r.from, err
}

// Close closes the file.
func (r *Reader) Close() error { return r.file.Close() }
