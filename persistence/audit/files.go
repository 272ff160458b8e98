package audit

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"time"

	"betcode/messages"
)

// maxLine bounds an entry. All its parts are bounded, so a longer line is damage.
const maxLine = 1 << 20

// Read calls f for every entry that the filter selects, in the order of their numbers,
// until f returns an error. It reads files while they are written: entries that are appended
// meanwhile may be seen or not.
func (l *Log) Read(ctx context.Context, filter messages.AuditFilter, f func(messages.AuditEntry) error) error {
	for e, err := range merged(l.entries(l.decisions, filter.Since), l.entries(l.refusals, filter.Since)) {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if !selects(filter, e) {
			continue
		}
		if err := f(e); err != nil {
			return err
		}
	}
	return nil
}

func selects(f messages.AuditFilter, e messages.AuditEntry) bool {
	return !e.CreatedAt.Before(f.Since) && (f.Session == "" || f.Session == e.Session) &&
		(len(f.Types) == 0 || slices.Contains(f.Types, e.Type))
}

// entries returns those of a series, without files that were last written before a time.
func (l *Log) entries(s *series, since time.Time) iter.Seq2[messages.AuditEntry, error] {
	return func(yield func(messages.AuditEntry, error) bool) {
		names, err := s.files(l.options.Directory)
		if err != nil {
			yield(messages.AuditEntry{}, err)
			return
		}
		for _, name := range names {
			path := filepath.Join(l.options.Directory, name)
			if info, err := os.Stat(path); err == nil && info.ModTime().Before(since) {
				continue
			}
			for e, err := range read(path) {
				if errors.Is(err, os.ErrNotExist) { // swept meanwhile
					break
				}
				if !yield(e, err) {
					return
				}
			}
		}
	}
}

// merged merges two sequences of entries by number, each of which rises. It ends at an
// error.
func merged(a, b iter.Seq2[messages.AuditEntry, error]) iter.Seq2[messages.AuditEntry, error] {
	return func(yield func(messages.AuditEntry, error) bool) {
		nextA, stopA := iter.Pull2(a)
		defer stopA()
		nextB, stopB := iter.Pull2(b)
		defer stopB()
		inA, errA, okA := nextA()
		inB, errB, okB := nextB()
		for okA || okB {
			if err := errors.Join(errA, errB); err != nil {
				yield(messages.AuditEntry{}, err)
				return
			}
			e := inA
			if fromA := okA && (!okB || inA.ID <= inB.ID); fromA {
				inA, errA, okA = nextA()
			} else {
				e = inB
				inB, errB, okB = nextB()
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// read returns the entries of a file. It skips lines that are no entries: torn ones, and one
// that is being written.
func read(path string) iter.Seq2[messages.AuditEntry, error] {
	return func(yield func(messages.AuditEntry, error) bool) {
		file, err := os.Open(path)
		if err != nil {
			yield(messages.AuditEntry{}, err)
			return
		}
		defer file.Close()
		lines := bufio.NewReaderSize(file, maxLine)
		for {
			line, err := lines.ReadSlice('\n')
			switch {
			case errors.Is(err, bufio.ErrBufferFull):
				continue // damage, skipped in pieces
			case errors.Is(err, io.EOF):
				return // a line without an end is no entry
			case err != nil:
				yield(messages.AuditEntry{}, err)
				return
			}
			var e messages.AuditEntry
			if json.Unmarshal(line, &e) != nil || e.ID == 0 {
				continue
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}
