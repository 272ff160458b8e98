package persistence

import (
	"context"

	"betcode/messages"
	"betcode/messages/failpoint"
	"betcode/persistence/internal/blob"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/record"
)

// Sweep removes payloads that neither a file nor a log refers to: those of files that
// were dropped or rewritten, and those that a crash left. It returns how many it
// removed. The journal can be used meanwhile; payloads that are about to get a reference
// stay.
//
// A payload is removed only if the list of every file was read and is sound, so a
// damaged list never causes the loss of its payloads. While the journal is
// verified or copied nothing is removed.
func (s *Store) Sweep(ctx context.Context) (removed int, err error) {
	if err := s.soundLists(); err != nil {
		return 0, err
	}
	failpoint.Hit(failpoint.SweepBegun)
	for n := range blob.Shards {
		if err := ctx.Err(); err != nil {
			return removed, messages.Errorf(fault.OpSweep, messages.Canceled, "%w", err)
		}
		gone, again, err := s.sweepShard(byte(n))
		removed += gone
		s.counts.swept.Add(int64(gone))
		if err != nil || again {
			return removed, err
		}
	}
	failpoint.Hit(failpoint.SweepDone)
	return removed, nil
}

// sweepShard sweeps one of the directories. Meanwhile no row can begin to refer to a
// payload in it. again reports that the shard must be swept later.
func (s *Store) sweepShard(n byte) (removed int, again bool, err error) {
	release, ok := s.blobs.TryExclusive()
	if !ok {
		return 0, true, nil
	}
	defer release()
	done, err := s.reading(fault.OpSweep)
	if err != nil {
		return 0, false, err
	}
	defer done()
	if err := s.writableNow(fault.OpSweep); err != nil {
		return 0, false, err
	}
	removed, err = s.blobs.Sweep(n, func() (map[record.PayloadID]bool, error) {
		over := s.overlay.Load().Over() // before the files: see thaw
		keep, err := s.listed(fault.OpSweep, n)
		for _, t := range over {
			for id := range t.References() {
				keep[id] = true
			}
		}
		return keep, err
	})
	if err != nil {
		return removed, false, fault.Storage(fault.OpSweep, err)
	}
	return removed, false, nil
}

// writableNow is writable for a reader; its answer may be outdated.
func (s *Store) writableNow(op string) error {
	if failed := s.failed.Load(); failed != nil {
		return fault.Again(op, failed)
	}
	if s.options.ReadOnly {
		return fault.ReadOnly(op)
	}
	return nil
}

// soundLists returns an error for a file whose list is damaged.
func (s *Store) soundLists() error {
	done, err := s.reading(fault.OpSweep)
	if err != nil {
		return err
	}
	defer done()
	return s.eachFile(fault.OpSweep, func(f *boltfile.File) error {
		return f.View(fault.OpSweep, func(tx *boltfile.Tx) error { return boltfile.CheckList(fault.OpSweep, tx) })
	})
}

// eachFile calls do for the files of the journal. The caller is reading.
func (s *Store) eachFile(op string, do func(*boltfile.File) error) error {
	for _, name := range s.manifest.Names() {
		f := s.active
		if name != s.manifest.Active {
			var err error
			if f, err = s.openSealed(op, name); err != nil {
				return err
			}
		}
		if err := do(f); err != nil {
			return err
		}
	}
	return nil
}

// listed returns the payloads of a shard that any file refers to. The caller is
// reading.
func (s *Store) listed(op string, shard byte) (map[record.PayloadID]bool, error) {
	all := map[record.PayloadID]bool{}
	return all, s.eachFile(op, func(f *boltfile.File) error {
		return f.View(op, func(tx *boltfile.Tx) error {
			return boltfile.EachPayload(op, tx, []byte{shard}, func(p record.Payload) error {
				all[p.ID] = true
				return nil
			})
		})
	})
}
