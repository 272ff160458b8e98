package persistence

import (
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/memtable"
	"betcode/persistence/internal/recovery"
	"betcode/persistence/internal/wal"
)

// replay reads the logs. Their rows, over the active file, become the state of the
// journal.
func (s *Store) replay() error {
	s.retries.Store(&retries{})
	var r *recovery.Recovered
	var done uint64
	err := s.active.View(fault.OpOpen, func(tx *boltfile.Tx) error {
		c, err := boltfile.Checkpoint(tx)
		if err != nil {
			return err
		}
		done = c.GetGroup()
		if r, err = recovery.Read(s.options.Directory, s.manifest.Logs, wal.TagOf(s.lineage), done, s.options.tolerant); err != nil {
			return err
		}
		if s.options.tolerant {
			s.lost = r.Account(memtable.View{File: tx, Over: []*memtable.Table{r.Rows}, Payloads: s.blobs})
		}
		if err := r.Mark(memtable.View{File: tx, Over: []*memtable.Table{r.Rows}}); err != nil {
			return err
		}
		s.numbers.Store(max(tx.Numbers(), r.Number))
		s.index, err = buildIndex(memtable.View{File: tx, Over: []*memtable.Table{r.Rows}})
		return err
	})
	if err != nil {
		return err
	}
	s.findings = append(s.findings, r.Findings...)
	s.overlay.Store(&memtable.Overlay{Live: memtable.New(), Frozen: r.Rows, Last: r.Last, Numbers: s.numbers.Load()})
	if s.options.ReadOnly {
		return nil
	}
	s.log, err = wal.Open(s.options.Directory, s.manifest.Logs, wal.Options{
		Last: r.Last, Tag: wal.TagOf(s.lineage), MaxBytes: s.options.maxBytes, Steps: s.options.steps,
	})
	if err != nil {
		return fault.Storage(fault.OpOpen, err)
	}
	if r.Last == done {
		s.overlay.Store(&memtable.Overlay{Live: memtable.New()})
		return nil
	}
	// Even groups without rows: the log starts again, and the file's checkpoint must include them.
	s.unmoved.Store(true)
	err = s.Checkpoint()
	if s.failed.Load() != nil {
		return err
	}
	return nil // on a full disk the journal can still be read
}
