package audit

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"betcode/messages"
)

// maxLine bounds an entry: all its parts are bounded, so more is damage.
const maxLine = 1 << 20

const suffix = ".jsonl"

// fileName is the name of the file that begins with an entry; names sort as numbers.
func fileName(first uint64) string { return fmt.Sprintf("%020d%s", first, suffix) }

// files are the files of a log, the oldest first.
func files(directory string) ([]string, error) {
	entries, err := os.ReadDir(directory)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		number, ours := strings.CutSuffix(e.Name(), suffix)
		if _, err := strconv.ParseUint(number, 10, 64); ours && err == nil && e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

// resume finds the number of the next entry and goes on with the newest file.
func (l *Log) resume() error {
	names, err := files(l.options.Directory)
	if err != nil {
		return err
	}
	l.next = 1
	if len(names) == 0 {
		return nil
	}
	newest := names[len(names)-1]
	if l.next, err = strconv.ParseUint(strings.TrimSuffix(newest, suffix), 10, 64); err != nil {
		return err
	}
	path := filepath.Join(l.options.Directory, newest)
	if err := l.begin(path, time.Time{}); err != nil {
		return err
	}
	// Behind that, because an entry may have been whole but for its end.
	return read(path, func(e messages.AuditEntry) error {
		if l.begun.IsZero() {
			l.begun = e.CreatedAt
		}
		l.next = max(l.next, e.ID+1)
		return nil
	})
}

// sweep removes the files that have expired, and the oldest where there is too much.
// The newest is always kept.
func (l *Log) sweep(now time.Time) {
	names, err := files(l.options.Directory)
	if err != nil || len(names) < 2 {
		return
	}
	var total int64
	for i, name := range slices.Backward(names) {
		path := filepath.Join(l.options.Directory, name)
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		total += info.Size()
		expired := l.options.MaxAge > 0 && now.Sub(info.ModTime()) > l.options.MaxAge
		tooMuch := l.options.MaxBytes > 0 && total > l.options.MaxBytes
		if i < len(names)-1 && (expired || tooMuch) {
			if err := os.Remove(path); err != nil {
				l.options.Warn(fmt.Errorf("remove old audit log: %w", err))
			}
		}
	}
}

// Read calls f for every entry that the filter selects, the oldest first, until f
// returns an error. It reads files while they are written: what is appended meanwhile
// may be seen or not.
func (l *Log) Read(ctx context.Context, filter messages.AuditFilter, f func(messages.AuditEntry) error) error {
	names, err := files(l.options.Directory)
	if err != nil {
		return err
	}
	for _, name := range names {
		path := filepath.Join(l.options.Directory, name)
		if info, err := os.Stat(path); err == nil && info.ModTime().Before(filter.Since) {
			continue
		}
		err := read(path, func(e messages.AuditEntry) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			if !selects(filter, e) {
				return nil
			}
			return f(e)
		})
		if err != nil && !errors.Is(err, os.ErrNotExist) { // swept meanwhile
			return err
		}
	}
	return nil
}

func selects(f messages.AuditFilter, e messages.AuditEntry) bool {
	return !e.CreatedAt.Before(f.Since) && (f.Session == "" || f.Session == e.Session) &&
		(len(f.Types) == 0 || slices.Contains(f.Types, e.Type))
}

// read calls f for the entries of a file. Lines that are no entries are skipped: one
// that was torn, or is being written.
func read(path string, f func(messages.AuditEntry) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewReaderSize(file, maxLine)
	for {
		line, err := lines.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue // damage, skipped in pieces
		case errors.Is(err, io.EOF):
			return nil // what has no end is no entry
		case err != nil:
			return err
		}
		var e messages.AuditEntry
		if json.Unmarshal(line, &e) != nil || e.ID == 0 {
			continue
		}
		if err := f(e); err != nil {
			return err
		}
	}
}
