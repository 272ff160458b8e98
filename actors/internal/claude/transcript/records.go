package transcript

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
)

// A record with a large file in it has some MB. Anything above these bounds is no transcript.
const (
	maxRecord     = 64 << 20 // bytes of a record that is read
	maxTranscript = 4 << 30  // bytes that are read
)

// records calls do with each line of a transcript, its newline included if it has one. The
// line is valid until the next call. Lines that are too long are left out.
func records(transcript io.Reader, do func(line []byte)) error {
	lines := bufio.NewReaderSize(transcript, 64<<10)
	var line []byte
	read, tooLong := int64(0), false
	for {
		part, err := lines.ReadSlice('\n')
		if read += int64(len(part)); read > maxTranscript {
			return errors.New("read transcript: it is too large")
		}
		if tooLong = tooLong || len(line)+len(part) > maxRecord; tooLong {
			line = nil
		} else {
			line = append(doubled(line, len(part)), part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if !tooLong {
			do(line)
		}
		line, tooLong = line[:0], false
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read transcript: %w", err)
		}
	}
}

// doubled returns line with room for n more bytes. It doubles the capacity, so that all buffers of a long record together take at
// most twice its size, however late the garbage collector runs.
func doubled(line []byte, n int) []byte {
	if len(line)+n <= cap(line) {
		return line
	}
	return slices.Grow(line, max(n, len(line)))
}
