package persistence

import (
	"errors"
	"fmt"

	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/manifest"
)

// Reopen opens the files again, as [Open] does, without releasing the lock of the
// directory. It ends the refusals that follow a failed sync: the present content of the disk is the
// journal. It fails, and nothing changes, if any commit is missing, or
// if the disk still cannot be written.
func (s *Store) Reopen() error {
	s.moving.Lock()
	defer s.moving.Unlock()
	s.writing.Lock()
	defer s.writing.Unlock()
	s.files.Lock()
	defer s.files.Unlock()
	if s.active == nil || s.options.ReadOnly {
		return fault.Closed(fault.OpReopen)
	}
	_ = s.active.Close() // an error is expected after a failure
	_ = s.log.Close()
	next := &Store{options: s.options, blobs: s.blobs}
	err := next.openAgain()
	if err == nil {
		err = next.holds(s)
	}
	if err == nil {
		// The empty transaction changes nothing, but needs both syncs.
		if err = next.active.Update(fault.OpReopen, func(*boltfile.Tx) error { return nil }); err != nil {
			err = fault.Storage(fault.OpReopen, err)
		}
	}
	if err != nil {
		if next.active != nil {
			_ = next.active.Close() // the first error is the useful one
		}
		if next.log != nil {
			_ = next.log.Close()
		}
		return err
	}
	s.counts.retire(s.active)
	s.counts.written.Add(s.log.WrittenBytes())
	s.counts.checkpoints.Add(next.counts.checkpoints.Load())
	s.manifest, s.active, s.log, s.index = next.manifest, next.active, next.log, next.index
	s.findings = append(s.findings, next.findings...)
	s.overlay.Store(next.overlay.Load())
	s.numbers.Store(next.numbers.Load())
	s.unmoved.Store(next.unmoved.Load())
	s.retries.Store(next.retries.Load())
	s.failed.Store(nil)
	return nil
}

// openAgain opens a journal that must exist.
func (s *Store) openAgain() error {
	m, worse, err := manifest.Read(s.options.Directory)
	if err != nil {
		return err
	}
	if m == nil {
		return fault.DamagedFile(fault.OpReopen, manifest.Name, errors.New("the file is missing"))
	}
	return s.useCopies(m, worse)
}

// holds returns an error unless this journal has everything that another state of it had
// committed.
func (s *Store) holds(before *Store) error {
	if s.lineage != before.lineage {
		return fault.DamagedFile(fault.OpReopen, manifest.Name, fmt.Errorf("it is journal %s, not %s", s.lineage, before.lineage))
	}
	before.index.mu.RLock()
	defer before.index.mu.RUnlock()
	for id, old := range before.index.entries {
		if now := s.index.get(id); old.damaged == nil && (now == nil || now.damaged == nil && now.head < old.head && !now.deleted) {
			return fault.About(id, fault.DamagedFile(fault.OpReopen, s.active.Name, errors.New("events are missing that were committed")))
		}
	}
	return nil
}
