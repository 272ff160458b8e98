package upkeep

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"betcode/messages"
	"betcode/persistence/internal/blob"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/manifest"
	"betcode/persistence/internal/memtable"
	"betcode/persistence/internal/record"
	"betcode/persistence/internal/recovery"
	"betcode/persistence/internal/wal"
)

// NewVerifier returns a verifier of the journal with a lineage. progress may be nil.
func NewVerifier(ctx context.Context, lineage string, large *blob.Directory, progress func(messages.JournalFile)) *Verifier {
	return &Verifier{
		ctx: ctx, progress: progress, lineage: lineage, done: map[string]bool{},
		blobs: large, listed: map[record.PayloadID]bool{}, reported: map[record.PayloadID]bool{},
	}
}

// Active verifies the active file, with the tables over it and the newest session
// number, after the sealed ones. Then it checks the payloads of all files.
func (v *Verifier) Active(f *boltfile.File, over []*memtable.Table, numbers uint64, sound []IndexEntry, live int) error {
	v.numbers = numbers
	check, err := v.file(f, over)
	if err != nil {
		return err
	}
	v.compare(f.Name, sound, live, check)
	v.payloads()
	v.Report.Sessions = check.live()
	return nil
}

// Verifier reads file after file, the oldest first, and reports damage.
type Verifier struct {
	ctx      context.Context
	progress func(messages.JournalFile)
	lineage  string
	done     map[string]bool
	before   *fileCheck // of the previous file
	numbers  uint64     // the newest session number in the logs
	blobs    *blob.Directory
	listed   map[record.PayloadID]bool // files refer to them
	reported map[record.PayloadID]bool // of those that are damaged
	Report   messages.JournalReport
}

func (v *Verifier) problem(name, key string, err error) {
	v.Report.Problems = append(v.Report.Problems, messages.JournalProblem{File: name, Key: key, Err: err})
}

// Sealed verifies the sealed files that were not verified yet, each through a handle of
// its own.
func (v *Verifier) Sealed(directory string, m *manifest.Manifest) error {
	for _, entry := range m.Sealed {
		if v.done[entry.Name] {
			continue
		}
		v.done[entry.Name] = true
		path := filepath.Join(directory, entry.Name)
		v.Warm(path)
		f, err := boltfile.Open(fault.OpVerify, path, boltfile.Options{ReadOnly: true})
		if err != nil {
			v.problem(entry.Name, "", err)
			v.before = nil
			continue
		}
		f.Payloads = v.blobs
		_, err = v.file(f, nil)
		f.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// LogState is the state of a journal's logs in memory.
type LogState struct {
	Directory string
	Names     []string
	Active    *boltfile.File
	Newest    uint64 // number of the newest group; 0 = the journal is only read
}

// Logs reads the rows that the logs have and the active file does not. The rows in
// memory are verified with that file. Nothing may be committed meanwhile.
func (v *Verifier) Logs(l LogState) {
	if len(l.Names) == 0 {
		return
	}
	var done uint64
	err := l.Active.View(fault.OpVerify, func(tx *boltfile.Tx) error {
		c, err := boltfile.Checkpoint(tx)
		done = c.GetGroup()
		return err
	})
	var r *recovery.Recovered
	if err == nil {
		r, err = recovery.Read(l.Directory, l.Names, wal.TagOf(v.lineage), done, false)
	}
	report := messages.JournalFile{Name: strings.Join(l.Names, ", "), Complete: err == nil}
	switch {
	case err != nil:
		v.problem(report.Name, "", err)
	case r.Why != nil:
		v.problem(report.Name, "", r.Why)
	case l.Newest > 0 && r.Last != l.Newest:
		v.problem(report.Name, "", fmt.Errorf("they end with group %d; the newest is %d", r.Last, l.Newest))
	}
	if r != nil {
		report.Keys = r.Rows.Length()
	}
	if report.Keys > 0 || !report.Complete {
		v.Report.Files = append(v.Report.Files, report)
	}
}

// Warm reads a file from beginning to end into the page cache, because reading it
// page by page, as bbolt does, is ten times slower on a disk.
func (v *Verifier) Warm(path string) {
	f, err := os.Open(path)
	if err != nil {
		return // opening the file reports the error
	}
	defer f.Close()
	buffer := make([]byte, 1<<20)
	for err == nil && v.ctx.Err() == nil {
		_, err = f.Read(buffer)
	}
}

// file verifies one file. The error is one of the context.
func (v *Verifier) file(f *boltfile.File, over []*memtable.Table) (*fileCheck, error) {
	c := newFileCheck(v, f.Name)
	if err := f.CheckDescription(fault.OpVerify, v.lineage); err != nil {
		v.problem(f.Name, "", err)
	}
	err := f.View(fault.OpVerify, func(tx *boltfile.Tx) error {
		c.report.Bytes = tx.Size()
		c.reportProgress()
		endless, err := v.structure(f, tx)
		if err != nil || endless {
			return err
		}
		return c.walk(tx, memtable.View{File: tx, Over: over, Payloads: f.Payloads})
	})
	if canceled := v.ctx.Err(); canceled != nil {
		return c, messages.Errorf(fault.OpVerify, messages.Canceled, "%w", canceled)
	}
	if err != nil {
		v.problem(f.Name, "", err)
	}
	c.finish(v.before)
	v.before = c
	c.report.Complete = err == nil
	c.reportProgress()
	v.Report.Files = append(v.Report.Files, c.report)
	return c, nil
}

// maxStructure bounds how many pages of a file are reported.
const maxStructure = 100

// structure checks the pages of a file, and reports whether walking them would
// never end.
func (v *Verifier) structure(f *boltfile.File, tx *boltfile.Tx) (endless bool, err error) {
	found := 0
	endless, err = f.VerifyPages(tx, func(format string, args ...any) {
		if found++; found <= maxStructure {
			v.problem(f.Name, "", fmt.Errorf(format, args...))
		}
	})
	if found > maxStructure {
		v.problem(f.Name, "", fmt.Errorf("%d more pages are damaged", found-maxStructure))
	}
	return endless, err
}

// IndexEntry is a session as it is in memory.
type IndexEntry struct {
	ID         messages.SessionID
	Number     uint64
	Head, Base messages.Seq
	Run        messages.RunNumber
	Offset     int64
}

// compare compares the sessions in memory with the file they were read from. sound are
// those that are neither deleted nor damaged, live is the number of live sessions with the
// damaged ones.
func (v *Verifier) compare(name string, sound []IndexEntry, live int, c *fileCheck) {
	for _, e := range sound {
		cursor := c.cursors[e.Number]
		switch {
		case c.ids[e.Number].id != e.ID:
			v.problem(name, string(e.ID), fmt.Errorf("session %d is remembered under this id", e.Number))
		case cursor == nil:
		case uint64(e.Head) != cursor.GetHead() || uint64(e.Base) != cursor.GetBase() ||
			uint64(e.Run) != cursor.GetRun() || e.Offset != cursor.GetOffset():
			v.problem(name, string(e.ID), fmt.Errorf("remembered as %d after %d, run %d at %d; the file has %v",
				e.Head, e.Base, e.Run, e.Offset, cursor))
		}
	}
	if live != c.live() {
		v.problem(name, "", fmt.Errorf("%d sessions are remembered of %d", live, c.live()))
	}
}
