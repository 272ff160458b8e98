package persistence

import (
	"os"
	"path/filepath"
	"slices"
	"time"

	"betcode/messages"
	"betcode/messages/failpoint"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/manifest"
)

// Retain drops sealed files, the oldest first: those above the size and the age of
// the options. It returns how many it dropped. The state of sessions is in the
// active file; the events in the dropped files are lost (see [Store.LowWater]).
//
// The files are removed from the manifest first, and then from the disk; [Open] removes those
// that a crash left. While the journal is verified or copied nothing is dropped.
func (s *Store) Retain() (dropped int, err error) {
	if !s.upkeep.TryLock() {
		return 0, nil
	}
	defer s.upkeep.Unlock()
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.writable(fault.OpRetain); err != nil {
		return 0, err
	}
	now := s.options.Now()
	if err := s.dropFormer(now); err != nil {
		return 0, fault.Storage(fault.OpRetain, err)
	}
	keep := s.retained(now)
	gone := s.manifest.Sealed[:len(s.manifest.Sealed)-len(keep)]
	if len(gone) == 0 {
		return 0, nil
	}
	next := *s.manifest
	next.Sealed = slices.Clone(keep)
	dropped, _, err = s.drop(fault.OpRetain, &next, gone)
	s.counts.dropped.Add(int64(dropped))
	return dropped, err
}

// drop makes next the journal's manifest, closes the files that it no longer lists,
// and removes them. renamed means that next is the manifest on disk, or
// may be. The caller holds upkeep and writing.
func (s *Store) drop(op string, next *manifest.Manifest, gone []manifest.SealedFile) (dropped int, renamed bool, err error) {
	renamed, err = next.Write(s.options.Directory, s.options.steps)
	if err != nil && !renamed {
		return 0, false, fault.Storage(op, err)
	}
	if err != nil {
		return 0, true, s.fail(op, err)
	}
	failpoint.Hit(failpoint.DropNamed)
	s.files.Lock()
	s.manifest = next
	s.sealedMu.Lock()
	for _, f := range gone {
		if open := s.sealed[f.Name]; open != nil {
			open.Close() // it was only read
			delete(s.sealed, f.Name)
		}
	}
	s.sealedMu.Unlock()
	s.files.Unlock()
	for _, f := range gone {
		if err := os.Remove(filepath.Join(s.options.Directory, f.Name)); err != nil {
			return dropped, true, fault.Storage(op, err) // the next Open retries
		}
		dropped++
		if err := s.options.steps.At(f.Name + " dropped"); err != nil {
			return dropped, true, fault.Storage(op, err)
		}
	}
	return dropped, true, nil
}

// stay keeps files from being dropped, and payloads from being swept, until the returned
// function is called.
func (s *Store) stay() (done func()) {
	s.upkeep.RLock()
	release := s.blobs.Keep()
	return func() {
		release()
		s.upkeep.RUnlock()
	}
}

// retained returns the sealed files that are kept: the newest, as many as fit,
// none older than allowed. The caller holds writing.
func (s *Store) retained(now time.Time) []manifest.SealedFile {
	sealed, total := s.manifest.Sealed, int64(0)
	for i := len(sealed) - 1; i >= 0; i-- {
		f := sealed[i]
		total += f.Bytes + f.OutOfLine
		tooMuch := s.options.RetainBytes > 0 && total > s.options.RetainBytes
		tooOld := s.options.RetainAge > 0 && now.Sub(f.SealedAt) > s.options.RetainAge
		if tooMuch || tooOld {
			return sealed[i+1:]
		}
	}
	return sealed
}

// LowWater returns the number of the last event of a session that was dropped, by the
// session or with its file; 0 if its history is whole. [Store.Events] begins after it.
//
// The session's record has the number up to which the session dropped events (messages.Past). The
// other number is not recorded: the oldest remaining file has the event after which it begins.
func (s *Store) LowWater(id messages.SessionID) (messages.Seq, error) {
	done, err := s.reading(fault.OpEvents)
	if err != nil {
		return 0, err
	}
	defer done()
	e, err := s.index.find(fault.OpEvents, id)
	if err != nil {
		return 0, err
	}
	low, err := s.lowWater(e)
	return max(low, e.low), err
}

// lowWater is LowWater for a reader.
func (s *Store) lowWater(e *entry) (messages.Seq, error) {
	if len(s.manifest.Sealed) == 0 {
		return e.base, nil
	}
	oldest := s.manifest.Sealed[0]
	if number, err := boltfile.Number(oldest.Name); err != nil || number == 1 {
		return 0, err // no file was ever dropped
	}
	f, err := s.openSealed(fault.OpEvents, oldest.Name)
	if err != nil {
		return 0, err
	}
	cursor, err := f.CursorOf(fault.OpEvents, e.number)
	if err != nil || cursor == nil { // nil: the session began later
		return 0, err
	}
	return messages.Seq(cursor.GetBase()), nil
}
