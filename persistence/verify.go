package persistence

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	bolt "go.etcd.io/bbolt"

	"betcode/messages"
)

type (
	// Report is what [Store.Verify] finds.
	Report = messages.JournalReport
	// FileReport is what was read of one file.
	FileReport = messages.JournalFile
	// Problem is one thing that is not as it should be.
	Problem = messages.JournalProblem
)

// Verify reads every file from end to end: bbolt's own structure, every
// checksum, every record, that no event is missing, and that what is remembered
// in memory is what is on disk, and follows each session's hash chain. Sealed
// files are read while the journal is used; commits wait while the active file
// is read, which is sealed first if it is large.
//
// progress, which may be nil, is called now and then with what was read of a
// file so far. The error is not about what was found: that is in the report.
func (s *Store) Verify(ctx context.Context, progress func(FileReport)) (Report, error) {
	defer s.stay()()
	s.sealLarge()
	done, err := s.reading(opVerify)
	if err != nil {
		return Report{}, err
	}
	m := s.manifest // never changed, only replaced
	done()
	v := verifier{
		ctx: ctx, progress: progress, lineage: s.lineage, done: map[string]bool{},
		blobs: s.blobs, listed: map[blobID]bool{}, told: map[blobID]bool{},
	}
	if err := v.sealed(s.options.Directory, m); err != nil {
		return v.report, err
	}
	v.warm(filepath.Join(s.options.Directory, m.Active))
	s.moving.Lock()
	defer s.moving.Unlock()
	_ = s.settle(opVerify) // what stays in the logs is verified there
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.active == nil {
		return v.report, closed(opVerify)
	}
	if err := v.sealed(s.options.Directory, s.manifest); err != nil { // those sealed meanwhile
		return v.report, err
	}
	o := s.overlay.Load()
	v.logs(s)
	v.numbers = s.numbers.Load()
	check, err := v.file(s.active, o.over())
	if err != nil {
		return v.report, err
	}
	v.compare(s.active.name, s.index, check)
	v.payloads()
	v.report.Sessions = check.live()
	return v.report, nil
}

// verifier reads file after file, the oldest first.
type verifier struct {
	ctx      context.Context
	progress func(FileReport)
	lineage  string
	done     map[string]bool
	before   *fileCheck // of the file before
	numbers  uint64     // the newest of a session in the logs
	blobs    *blobs
	listed   map[blobID]bool // files refer to them
	told     map[blobID]bool // of those that are damaged
	report   Report
}

func (v *verifier) problem(name, key string, err error) {
	v.report.Problems = append(v.report.Problems, Problem{File: name, Key: key, Err: err})
}

// sealed verifies the sealed files that were not yet, each through a handle of
// its own.
func (v *verifier) sealed(directory string, m *manifest) error {
	for _, entry := range m.Sealed {
		if v.done[entry.Name] {
			continue
		}
		v.done[entry.Name] = true
		path := filepath.Join(directory, entry.Name)
		v.warm(path)
		f, err := openBolt(opVerify, path, bolt.Options{ReadOnly: true})
		if err != nil {
			v.problem(entry.Name, "", err)
			v.before = nil
			continue
		}
		f.blobs = v.blobs
		_, err = v.file(f, nil)
		f.close()
		if err != nil {
			return err
		}
	}
	return nil
}

// logs reads what the logs hold that is not in the active file. What memory has
// of it is verified with that file. The caller holds writing.
func (v *verifier) logs(s *Store) {
	if len(s.manifest.Logs) == 0 {
		return
	}
	var done uint64
	err := s.active.view(opVerify, func(tx *bolt.Tx) error {
		c, err := checkpointOf(tx)
		done = c.GetGroup()
		return err
	})
	var r *replayed
	if err == nil {
		r, err = readLogs(s.options.Directory, s.manifest.Logs, tagOf(s.lineage), done, false)
	}
	report := FileReport{Name: strings.Join(s.manifest.Logs, ", "), Complete: err == nil}
	switch {
	case err != nil:
		v.problem(report.Name, "", err)
	case r.why != nil:
		v.problem(report.Name, "", r.why)
	case s.log != nil && r.last+1 != s.log.next:
		v.problem(report.Name, "", fmt.Errorf("they end with group %d; the newest is %d", r.last, s.log.next-1))
	}
	if r != nil {
		report.Keys = r.rows.rows.Len()
	}
	if report.Keys > 0 || !report.Complete {
		v.report.Files = append(v.report.Files, report)
	}
}

// warm reads a file from its beginning to its end, so that the system has it in
// memory: page by page, as bbolt reads, a disk is ten times slower.
func (v *verifier) warm(path string) {
	f, err := os.Open(path)
	if err != nil {
		return // it is told when the file is opened
	}
	defer f.Close()
	buffer := make([]byte, 1<<20)
	for err == nil && v.ctx.Err() == nil {
		_, err = f.Read(buffer)
	}
}

// file verifies one file. The error is one of the context.
func (v *verifier) file(f *file, over []*table) (*fileCheck, error) {
	c := newFileCheck(v, f.name)
	if err := f.checkDescription(opVerify, v.lineage); err != nil {
		v.problem(f.name, "", err)
	}
	err := f.view(opVerify, func(tx *bolt.Tx) error {
		c.report.Bytes = tx.Size()
		c.tell()
		endless, err := v.structure(f, tx)
		if err != nil || endless {
			return err
		}
		return c.walk(view{tx: tx, over: over, blobs: f.blobs})
	})
	if canceled := v.ctx.Err(); canceled != nil {
		return c, messages.Errorf(opVerify, messages.Canceled, "%w", canceled)
	}
	if err != nil {
		v.problem(f.name, "", err)
	}
	c.finish(v.before)
	v.before = c
	c.report.Complete = err == nil
	c.tell()
	v.report.Files = append(v.report.Files, c.report)
	return c, nil
}

// maxStructure bounds how many pages of a file are named.
const maxStructure = 100

// structure checks the pages of a file, and reports whether walking them would
// have no end.
func (v *verifier) structure(f *file, tx *bolt.Tx) (endless bool, err error) {
	data, unmap, err := mapped(f.disk, tx.Size())
	if err != nil {
		return false, err
	}
	defer unmap()
	found := 0
	c := pageCheck{file: data, problem: func(format string, args ...any) {
		if found++; found <= maxStructure {
			v.problem(f.name, "", fmt.Errorf(format, args...))
		}
	}}
	c.check(uint64(tx.ID()))
	if found > maxStructure {
		v.problem(f.name, "", fmt.Errorf("%d more pages are damaged", found-maxStructure))
	}
	return c.circles, nil
}

// compare holds the index against the file it was made from.
func (v *verifier) compare(name string, x *index, c *fileCheck) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for id, e := range x.entries {
		if e.damaged != nil || e.deleted {
			continue
		}
		cursor := c.cursors[e.number]
		switch {
		case c.ids[e.number].id != id:
			v.problem(name, string(id), fmt.Errorf("session %d is remembered under this id", e.number))
		case cursor == nil:
		case uint64(e.head) != cursor.GetHead() || uint64(e.base) != cursor.GetBase() ||
			uint64(e.run) != cursor.GetRun() || e.offset != cursor.GetOffset():
			v.problem(name, string(id), fmt.Errorf("remembered as %d after %d, run %d at %d; the file has %v",
				e.head, e.base, e.run, e.offset, cursor))
		}
	}
	if len(x.ids) != c.live() {
		v.problem(name, "", fmt.Errorf("%d sessions are remembered of %d", len(x.ids), c.live()))
	}
}
