package planlog

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"

	"betcode/messages"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sumLength is the length of the checksum and its space.
const sumLength = 9

// maxLine bounds a line: a header has the whole plan.
const maxLine = 32 << 20

// ErrTorn means that a line is incomplete.
var ErrTorn = errors.New("line is not whole")

// appendLine appends a record to text as a line.
func appendLine(text []byte, record any) ([]byte, error) {
	body, err := json.Marshal(record)
	if err != nil {
		return nil, fmt.Errorf("encode record: %w", err)
	}
	text = fmt.Appendf(text, "%08x ", crc32.Checksum(body, castagnoli))
	return append(append(text, body...), '\n'), nil
}

// parseLine reads a line without its end into record.
func parseLine(line []byte, record any) error {
	if len(line) < sumLength || line[sumLength-1] != ' ' {
		return ErrTorn
	}
	body := line[sumLength:]
	sum := binary.BigEndian.AppendUint32(nil, crc32.Checksum(body, castagnoli))
	if !bytes.Equal(hex.AppendEncode(nil, sum), line[:sumLength-1]) {
		return ErrTorn
	}
	if err := json.Unmarshal(body, record); err != nil {
		return fmt.Errorf("decode record: %w", err)
	}
	return nil
}

// Reader reads a journal from its beginning, or from behind an event.
type Reader struct {
	lines *bufio.Reader
	file  io.Closer
	at    int64 // offset behind the last complete line
	head  uint64
}

// Open opens a journal and reads its header. most bounds the bytes that are read of it.
func Open(path string, most int64, header any) (*Reader, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r := &Reader{lines: bufio.NewReaderSize(io.LimitReader(file, most), 64<<10), file: file}
	if err := r.next(header); err != nil {
		r.Close()
		return nil, fmt.Errorf("read header of %s: %w", path, err)
	}
	return r, nil
}

// OpenAt opens a journal behind an event.
func OpenAt(path string, most int64, from messages.OrchestrationCursor) (*Reader, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	section := io.NewSectionReader(file, from.Offset, max(most-from.Offset, 0))
	return &Reader{lines: bufio.NewReader(section), file: file, at: from.Offset, head: from.Seq}, nil
}

// next reads the next line into record. io.EOF is the end; ErrTorn an incomplete last line.
func (r *Reader) next(record any) error {
	line, err := r.lines.ReadBytes('\n')
	switch {
	case errors.Is(err, io.EOF) && len(line) == 0:
		return io.EOF
	case errors.Is(err, io.EOF):
		return ErrTorn
	case err != nil:
		return err
	case len(line) > maxLine:
		return fmt.Errorf("a line has %d bytes", len(line))
	}
	if err := parseLine(line[:len(line)-1], record); err != nil {
		return err
	}
	r.at += int64(len(line))
	return nil
}

// Event reads the next event. io.EOF is the end; ErrTorn an incomplete line.
func (r *Reader) Event() (messages.OrchestrationEvent, error) {
	var e messages.OrchestrationEvent
	if err := r.next(&e); err != nil {
		return e, err
	}
	if e.Seq != r.head+1 {
		return e, fmt.Errorf("event %d follows event %d", e.Seq, r.head)
	}
	r.head = e.Seq
	return e, nil
}

// Cursor returns the position behind the last event that was read.
func (r *Reader) Cursor() messages.OrchestrationCursor {
	return messages.OrchestrationCursor{Seq: r.head, Offset: r.at}
}

// RestBlank reports whether only a torn line follows, as after a crash. A complete line behind it is damage.
func (r *Reader) RestBlank() bool {
	rest, err := io.ReadAll(r.lines)
	return err == nil && !bytes.ContainsRune(bytes.TrimRight(rest, "\n\x00"), '\n')
}

// Close closes the file, which was read only.
func (r *Reader) Close() { _ = r.file.Close() }
