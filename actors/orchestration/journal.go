package orchestration

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"betcode/messages"
)

// A journal is a file of lines: eight hexadecimal digits of a CRC-32C, a space, JSON. The first line is the [header], each
// other an event.

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sumLength is the length of the checksum and its space.
const sumLength = 9

// maxLine bounds a line: a header has the whole plan.
const maxLine = 32 << 20

// appendLine appends a record to text as a line.
func appendLine(text []byte, record any) ([]byte, error) {
	body, err := json.Marshal(record)
	if err != nil {
		return nil, fmt.Errorf("encode record: %w", err)
	}
	text = fmt.Appendf(text, "%08x ", crc32.Checksum(body, castagnoli))
	return append(append(text, body...), '\n'), nil
}

// errTorn says that a line is not whole.
var errTorn = errors.New("line is not whole")

// parseLine reads a line without its end into record.
func parseLine(line []byte, record any) error {
	if len(line) < sumLength || line[sumLength-1] != ' ' {
		return errTorn
	}
	sum, err := strconv.ParseUint(string(line[:sumLength-1]), 16, 32)
	body := line[sumLength:]
	if err != nil || uint32(sum) != crc32.Checksum(body, castagnoli) {
		return errTorn
	}
	if err := json.Unmarshal(body, record); err != nil {
		return fmt.Errorf("decode record: %w", err)
	}
	return nil
}

// create writes a journal with its header. Without an error it is on disk.
func create(path string, h header) error {
	text, err := appendLine(nil, h)
	if err != nil {
		return err
	}
	temporary := path + ".new"
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	if err := os.Rename(temporary, path); err != nil {
		return err
	}
	return syncDirectory(filepath.Dir(path))
}

func syncDirectory(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// reader reads a journal from its beginning.
type reader struct {
	lines *bufio.Reader
	file  io.Closer
	at    int64 // offset behind the last whole line
	head  uint64
}

// open opens a journal and reads its header. most bounds what is read of it, in bytes.
func open(path string, most int64) (*reader, header, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, header{}, err
	}
	r := &reader{lines: bufio.NewReaderSize(io.LimitReader(file, most), 64<<10), file: file}
	var h header
	err = r.next(&h)
	if err == nil && h.Format != formatVersion {
		err = fmt.Errorf("format %d is not known", h.Format)
	}
	if err != nil {
		_ = file.Close() // it was read only
		return nil, header{}, fmt.Errorf("read header of %s: %w", path, err)
	}
	return r, h, nil
}

// openAt opens a journal behind an event.
func openAt(path string, most int64, from messages.OrchestrationCursor) (*reader, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	section := io.NewSectionReader(file, from.Offset, max(most-from.Offset, 0))
	return &reader{lines: bufio.NewReader(section), file: file, at: from.Offset, head: from.Seq}, nil
}

// next reads the next line into record. io.EOF is the end; errTorn a last line that is not whole.
func (r *reader) next(record any) error {
	line, err := r.lines.ReadBytes('\n')
	switch {
	case errors.Is(err, io.EOF) && len(line) == 0:
		return io.EOF
	case errors.Is(err, io.EOF):
		return errTorn
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

// event reads the next event.
func (r *reader) event() (messages.OrchestrationEvent, error) {
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

// restBlank reports whether nothing but a torn line follows: what a crash leaves. A whole line behind it is damage.
func (r *reader) restBlank() bool {
	rest, err := io.ReadAll(r.lines)
	return err == nil && !bytes.ContainsRune(bytes.TrimRight(rest, "\n\x00"), '\n')
}

func (r *reader) close() { _ = r.file.Close() } // it was read only

// load reads a journal up to its end, or up to an offset. It returns the state and the offset behind the last whole line.
func load(path string, most int64) (*state, int64, error) {
	r, h, err := open(path, most)
	if err != nil {
		return nil, 0, err
	}
	defer r.close()
	if problems := h.Plan.Check(); len(problems) > 0 {
		return nil, 0, fmt.Errorf("read %s: the plan cannot be played: %s", path, problems[0].Text)
	}
	s := newState(h)
	for {
		e, err := r.event()
		switch {
		case err == nil:
			s.apply(e)
		case errors.Is(err, io.EOF), errors.Is(err, errTorn) && r.restBlank():
			return s, r.at, nil
		default:
			return nil, 0, fmt.Errorf("read %s behind event %d: %w", path, r.head, err)
		}
	}
}

// appendEvents writes events behind an offset and returns the next one. Without an error they are on disk; with one, nothing
// behind the offset counts.
func appendEvents(path string, offset int64, events []messages.OrchestrationEvent) (int64, error) {
	var text []byte
	var err error
	for _, e := range events {
		if text, err = appendLine(text, e); err != nil {
			return offset, err
		}
	}
	file, err := os.OpenFile(path, os.O_WRONLY, 0o600)
	if err != nil {
		return offset, err
	}
	err = file.Truncate(offset) // of a line that an earlier daemon did not finish, or of a write that failed
	if err == nil {
		_, err = file.WriteAt(text, offset)
	}
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return offset, fmt.Errorf("write journal of orchestration: %w", err)
	}
	return offset + int64(len(text)), nil
}

// missing reports whether an error says that there is no such file.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
