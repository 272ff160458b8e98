package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"betcode/messages"
)

// series is one of the two sequences of files of a log. Decisions and refusals are separate,
// each with its own share of the space, so that any number of refused calls removes no
// decision. The numbers are those of the log.
type series struct {
	suffix    string
	fileBytes int64 // size at which the next file is begun
	maxBytes  int64 // of all its files; not positive = no limit

	file     *os.File // nil when the last attempt to open one failed, and before the first
	size     int64
	begun    time.Time // of the file
	unsynced uint64    // entries that may not be durable
}

const (
	decisionSuffix = ".jsonl"
	refusalSuffix  = ".refusals.jsonl"
)

// newSeries divides the space of a log: an eighth of it is for refusals.
func newSeries(maxBytes int64) (decisions, refusals *series) {
	decisions = &series{suffix: decisionSuffix, fileBytes: fileBytes, maxBytes: maxBytes}
	refusals = &series{suffix: refusalSuffix, fileBytes: fileBytes, maxBytes: maxBytes}
	if maxBytes > 0 {
		refusals.maxBytes = max(maxBytes/8, 1)
		decisions.maxBytes = max(maxBytes-refusals.maxBytes, 1)
		refusals.fileBytes = min(fileBytes, max(refusals.maxBytes/2, 64<<10))
	}
	return decisions, refusals
}

// refusal reports whether any caller can cause an entry at will: a connection
// or a refusal.
func refusal(e messages.AuditEntry) bool {
	switch e.Type {
	case messages.AuditAuthSuccess, messages.AuditAuthFailure, messages.AuditRateLimited, messages.AuditRefused:
		return true
	case messages.AuditAdmin:
		return e.Outcome == messages.OutcomeDenied
	default:
		return false
	}
}

// fileName returns the name of the file that begins with an entry; names sort as numbers.
func (s *series) fileName(first uint64) string { return fmt.Sprintf("%020d%s", first, s.suffix) }

// files returns the files of the series, the oldest first.
func (s *series) files(directory string) ([]string, error) {
	entries, err := os.ReadDir(directory)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		number, ours := strings.CutSuffix(e.Name(), s.suffix)
		if _, err := strconv.ParseUint(number, 10, 64); ours && err == nil && e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

// resume continues with the newest file, and returns the number behind its last entry; 1
// if there is none.
func (s *series) resume(directory string) (next uint64, err error) {
	names, err := s.files(directory)
	if err != nil || len(names) == 0 {
		return 1, err
	}
	newest := names[len(names)-1]
	if next, err = strconv.ParseUint(strings.TrimSuffix(newest, s.suffix), 10, 64); err != nil {
		return 1, err
	}
	path := filepath.Join(directory, newest)
	if err := s.begin(path, time.Time{}); err != nil {
		return 1, err
	}
	// Behind that, because only the end of an entry may be missing.
	for e, err := range read(path) {
		if err != nil {
			return 1, err
		}
		if s.begun.IsZero() {
			s.begun = e.CreatedAt
		}
		next = max(next, e.ID+1)
	}
	return next, nil
}

// sweep removes the files that have expired, and the oldest above the limit.
// It always keeps the newest.
func (s *series) sweep(directory string, maxAge time.Duration, now time.Time) error {
	names, err := s.files(directory)
	if err != nil || len(names) < 2 {
		return nil //nolint:nilerr // the next write reports the problem of the directory
	}
	var total int64
	var errs []error
	for i, name := range slices.Backward(names) {
		path := filepath.Join(directory, name)
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		total += info.Size()
		expired := maxAge > 0 && now.Sub(info.ModTime()) > maxAge
		tooMuch := s.maxBytes > 0 && total > s.maxBytes
		if i < len(names)-1 && (expired || tooMuch) {
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, fmt.Errorf("remove old audit log: %w", err))
			}
		}
	}
	return errors.Join(errs...)
}

// full reports whether the next file is to be begun.
func (s *series) full(now time.Time) bool {
	return s.file == nil || s.size >= s.fileBytes || now.Sub(s.begun) >= fileAge
}

// append writes a line, in one call to the operating system.
func (s *series) append(line []byte) error {
	n, err := s.file.Write(line)
	s.size += int64(n)
	if err != nil {
		_ = s.leave() // the line may be torn: the next file begins on a line of its own
		return err
	}
	s.unsynced++
	return nil
}

// flush syncs the file. After an error it is unknown which bytes are durable.
func (s *series) flush() error {
	if s.file == nil {
		return nil
	}
	if err := s.file.Sync(); err != nil {
		_ = s.leave()
		return err
	}
	s.unsynced = 0
	return nil
}

// begin opens a file for appending.
func (s *series) begin(path string, at time.Time) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err == nil && info.Size() > 0 {
		err = endLine(file, info.Size())
	}
	if err != nil {
		file.Close()
		return err
	}
	s.file, s.size, s.begun = file, info.Size(), at
	return nil
}

// endLine ends a line that was torn.
func endLine(file *os.File, size int64) error {
	last := make([]byte, 1)
	if _, err := file.ReadAt(last, size-1); err != nil {
		return err
	}
	if last[0] == '\n' {
		return nil
	}
	_, err := file.Write([]byte{'\n'})
	return err
}

// leave closes the open file, if there is one.
func (s *series) leave() error {
	if s.file == nil {
		return nil
	}
	file := s.file
	s.file = nil
	err := file.Sync()
	if err == nil {
		s.unsynced = 0
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}
