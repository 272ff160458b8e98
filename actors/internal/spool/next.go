package spool

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"

	"betcode/messages"
)

// Next returns the next complete lines. It reads about maxBytes, and
// more if those contain no complete line, but not beyond the end of the file. No
// lines means that there are none yet; the part of an incomplete line that was read
// is kept, and not read again.
//
// After an error of kind Unavailable (the disk does not answer) nothing is lost and
// nothing was delivered: the next call reads the same lines.
func (r *Reader) Next(maxBytes int) (_ Batch, err error) {
	b := Batch{From: r.from, To: r.from}
	defer func() {
		if err != nil && messages.KindOf(err) == messages.Unavailable {
			r.rewind(b.From)
		}
	}()
	size, err := r.size()
	if err != nil {
		return Batch{}, err
	}
	if r.read == size {
		r.rest()
		return b, r.same()
	}
	if maxBytes <= 0 {
		maxBytes = r.chunk
	}
	budget := int64(maxBytes)
	g := gathering{Reader: r, buf: r.begin(int(min(budget, size-r.read))), lines: r.lines[:0], spans: r.spans[:0]}
	for r.read < size && (budget > 0 || len(g.lines) == 0) {
		n := min(size-r.read, int64(r.chunk))
		if budget > 0 {
			n = min(n, budget)
		}
		if err := g.fill(int(n)); err != nil {
			return Batch{}, err
		}
		budget -= n
	}
	b.Lines, b.To = g.finish(), r.from
	b.More = r.read < size
	return b, nil
}

// begin returns a buffer that begins with the pending bytes and has room for n more
// bytes, in the memory of the previous batch if it is large enough.
func (r *Reader) begin(n int) []byte {
	if len(r.pending)+n <= cap(r.memory) {
		return append(r.memory[:0], r.pending...)
	}
	return slices.Grow(r.pending, n)
}

// rest releases memory that only a busy agent needs.
func (r *Reader) rest() {
	if cap(r.memory) > restMemory {
		r.pending = bytes.Clone(r.pending)
		r.memory, r.lines, r.spans = nil, nil, nil
	}
}

// Tail returns the bytes behind the last newline of an ended run, as the only line
// of a batch, or an empty batch. All complete lines must have been read.
func (r *Reader) Tail() (Batch, error) {
	b := Batch{From: r.from, To: r.from}
	size, err := r.size()
	switch {
	case err != nil:
		return Batch{}, err
	case size != r.read:
		return Batch{}, messages.Errorf(opRead, messages.WrongState, "%d bytes of %s have not been read", size-r.read, r.path)
	case r.from == r.read:
		return b, nil
	}
	line := Line{Bytes: r.pending, Cut: r.cutting, Size: r.read - r.from, End: r.read}
	r.from, r.pending, r.cutting = r.read, nil, false
	b.To, b.Lines = r.from, []Line{line}
	return b, nil
}

// same returns DataLoss if the path now names another file, or none.
func (r *Reader) same() error {
	ours, err := r.file.Stat()
	if err != nil {
		return &messages.Error{Op: opRead, Kind: messages.Unavailable, Err: err}
	}
	there, err := os.Stat(r.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return messages.Errorf(opRead, messages.DataLoss, "%s was removed", r.path)
	case err != nil:
		return &messages.Error{Op: opRead, Kind: messages.Unavailable, Err: err}
	case !os.SameFile(ours, there):
		return messages.Errorf(opRead, messages.DataLoss, "%s was replaced", r.path)
	}
	return nil
}

// gathering is a batch being made. The buffer may move while it grows, so
// lines are cut out of it at the end.
type gathering struct {
	*Reader
	buf   []byte
	lines []Line
	spans []span // where the lines are in buf
	start int    // where the incomplete line starts in buf
}

type span struct{ from, to int }

// fill reads n bytes and looks for ends of lines in them.
func (g *gathering) fill(n int) error {
	fresh := len(g.buf)
	g.buf = slices.Grow(g.buf, n)[:fresh+n]
	if m, err := g.file.ReadAt(g.buf[fresh:], g.read); m < n {
		if errors.Is(err, io.EOF) {
			return messages.Errorf(opRead, messages.DataLoss, "%s shrank while it was read", g.path)
		}
		return &messages.Error{Op: opRead, Kind: messages.Unavailable, Err: err}
	}
	ends := bytes.Count(g.buf[fresh:], []byte{'\n'})
	g.lines, g.spans = slices.Grow(g.lines, ends), slices.Grow(g.spans, ends)
	for {
		i := bytes.IndexByte(g.buf[fresh:], '\n')
		if i < 0 {
			break
		}
		end := fresh + i
		g.end(g.read+int64(i), end)
		g.read += int64(i) + 1
		fresh = end + 1
	}
	g.read += int64(len(g.buf) - fresh)
	if g.read-g.from > int64(g.maxLine) {
		g.cutting = true
	}
	if g.cutting {
		g.buf = g.buf[:g.start]
	}
	return nil
}

// end records that the incomplete line ends at offset, at index i of the buffer.
func (g *gathering) end(offset int64, i int) {
	line := Line{Size: offset - g.from, End: offset + 1}
	line.Cut = line.Size > int64(g.maxLine)
	g.lines = append(g.lines, line)
	g.spans = append(g.spans, span{g.start, i})
	g.start, g.from, g.cutting = i+1, line.End, false
}

// finish returns the lines and keeps the rest for the next batch.
func (g *gathering) finish() []Line {
	for i, s := range g.spans {
		if !g.lines[i].Cut {
			g.lines[i].Bytes = g.buf[s.from:s.to:s.to]
		}
	}
	g.memory, g.Reader.lines, g.Reader.spans = nil, nil, nil
	kept := cap(g.buf) <= keptMemory
	if kept {
		g.memory, g.Reader.lines, g.Reader.spans = g.buf, g.lines, g.spans
	}
	switch {
	case g.cutting:
		g.pending = nil
	case len(g.lines) > 0 && !kept:
		g.pending = bytes.Clone(g.buf[g.start:]) // the batch owns the buffer
	default:
		g.pending = g.buf[g.start:]
	}
	return g.lines
}
