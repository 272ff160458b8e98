package socket

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxLine bounds a line, without its end.
const maxLine = 20 << 20

// errLongLine is returned for a line above the bound, which was skipped.
var errLongLine = errors.New("Invalid message: the line has more than 20 MiB") //nolint:staticcheck // part of the protocol

// lines reads lines. It decodes text only when a line is complete, so a character may be split between reads.
type lines struct {
	in  *bufio.Reader
	buf []byte
}

func newLines(r io.Reader) *lines { return &lines{in: bufio.NewReaderSize(r, 64<<10)} }

// next returns the next line that is not blank, without spaces around it. It is valid until the
// following call. A last line without an end is dropped, since its writer was interrupted.
func (l *lines) next() ([]byte, error) {
	for {
		line, err := l.read()
		if err != nil {
			return nil, err
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, nil
		}
	}
}

func (l *lines) read() ([]byte, error) {
	if cap(l.buf) > 1<<20 { // free the memory of a large line
		l.buf = nil
	}
	l.buf = l.buf[:0]
	for long := false; ; {
		part, err := l.in.ReadSlice('\n')
		if long = long || len(l.buf)+len(part) > maxLine+1; long {
			l.buf = nil
		} else {
			l.buf = append(l.buf, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil:
			return nil, err
		case long:
			return nil, errLongLine
		default:
			return l.buf, nil
		}
	}
}
