package persistence

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	bolt "go.etcd.io/bbolt"

	"betcode/messages"
	"betcode/messages/failpoint"
	storev1 "betcode/proto/betcode/store/v1"
)

// Sweep removes payloads out of line that neither a file nor a log refers to: those of files that
// were dropped or rewritten, and what a crash left. It returns how many it
// removed. The journal is used meanwhile; what is about to be referred to stays.
//
// A payload goes only when every file's list was read and is sound, so damage of
// a list is never followed by the loss of what was on it. While the journal is
// verified or copied nothing is removed: the next time will do.
func (s *Store) Sweep(ctx context.Context) (removed int, err error) {
	if err := s.soundLists(); err != nil {
		return 0, err
	}
	failpoint.Hit(failpoint.SweepBegun)
	for n := range blobShards {
		if err := ctx.Err(); err != nil {
			return removed, messages.Errorf(opSweep, messages.Canceled, "%w", err)
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

// sweepShard sweeps one of the directories, while nobody can begin to refer to
// what is in it. again says that it must be tried another time.
func (s *Store) sweepShard(n byte) (removed int, again bool, err error) {
	if !s.blobs.needed.TryLock() {
		return 0, true, nil
	}
	defer s.blobs.needed.Unlock()
	done, err := s.reading(opSweep)
	if err != nil {
		return 0, false, err
	}
	defer done()
	if err := s.writableNow(opSweep); err != nil {
		return 0, false, err
	}
	entries, err := os.ReadDir(s.blobs.shard(n))
	if errors.Is(err, os.ErrNotExist) || (err == nil && len(entries) == 0) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, storageError(opSweep, err)
	}
	s.blobs.readers.Lock() // whoever looks at rows of a moment ago
	defer s.blobs.readers.Unlock()
	s.blobs.mu.Lock()
	defer s.blobs.mu.Unlock()
	staged := s.overlay.Load().over() // before the files: see thaw
	keep, err := s.listed(opSweep, n)
	if err != nil {
		return 0, false, err
	}
	for _, t := range staged {
		for _, id := range t.outside {
			keep[id] = true
		}
	}
	failpoint.Hit(failpoint.SweepMarked)
	for _, e := range entries {
		base, half := strings.CutSuffix(e.Name(), unfinished)
		id, ok := parseBlob(base)
		if !ok || s.blobs.pins[id] > 0 || (keep[id] && !half) {
			continue
		}
		if err := os.Remove(filepath.Join(s.blobs.shard(n), e.Name())); err != nil && !errors.Is(err, os.ErrNotExist) {
			return removed, false, storageError(opSweep, err)
		}
		removed++
		if err := s.options.steps.at("payload swept"); err != nil {
			return removed, false, storageError(opSweep, err)
		}
	}
	return removed, false, nil
}

// writableNow is writable for a reader, who may be told a moment late.
func (s *Store) writableNow(op string) error {
	if failed := s.failed.Load(); failed != nil {
		return again(op, failed)
	}
	if s.options.ReadOnly {
		return readOnly(op)
	}
	return nil
}

// soundLists says which file's list is not what was written.
func (s *Store) soundLists() error {
	done, err := s.reading(opSweep)
	if err != nil {
		return err
	}
	defer done()
	return s.eachFile(opSweep, func(f *file) error {
		return f.view(opSweep, func(tx *bolt.Tx) error { return soundList(opSweep, tx) })
	})
}

// soundList compares a file's list with what it says of itself.
func soundList(op string, tx *bolt.Tx) error {
	b := tx.Bucket(bucketBlobs)
	if b == nil {
		return nil // an older file, or none was so large
	}
	if n := uint64(b.Stats().KeyN); n != b.Sequence() { //nolint:gosec // a count
		return damagedFile(op, filepath.Base(tx.DB().Path()), fmt.Errorf("it lists %d payloads of %d", n, b.Sequence()))
	}
	return nil
}

// eachFile calls do for the files of the journal. The caller is reading.
func (s *Store) eachFile(op string, do func(*file) error) error {
	for _, name := range s.manifest.names() {
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

// weighBlobs counts what came out of line with the active file.
func (f *file) weighBlobs(op string) error {
	return f.view(op, func(tx *bolt.Tx) error {
		total := int64(0)
		err := eachBlob(op, tx, nil, func(p spilled) error {
			if !p.carried {
				total += int64(p.length)
			}
			return nil
		})
		f.blobBytes.Store(total)
		return err
	})
}

// listed returns the payloads of a shard that any file refers to. The caller is
// reading.
func (s *Store) listed(op string, shard byte) (map[blobID]bool, error) {
	all := map[blobID]bool{}
	return all, s.eachFile(op, func(f *file) error {
		return f.view(op, func(tx *bolt.Tx) error {
			return eachBlob(op, tx, []byte{shard}, func(p spilled) error {
				all[p.id] = true
				return nil
			})
		})
	})
}

// eachBlob calls do for the payloads that a file refers to, those whose names
// begin with a prefix.
func eachBlob(op string, tx *bolt.Tx, prefix []byte, do func(spilled) error) error {
	b := tx.Bucket(bucketBlobs)
	if b == nil {
		return nil
	}
	c, last := b.Cursor(), blobID{}
	for key, value := c.Seek(prefix); key != nil && strings.HasPrefix(string(key), string(prefix)); key, value = c.Next() {
		var p storev1.Payload
		if err := decode(op, bucketBlobs, key, value, &p); err != nil {
			return err
		}
		found := spilled{length: int(p.GetLength()), carried: p.GetCarried()} //nolint:gosec // of a slice, once
		if copy(found.id[:], key) < len(found.id) {
			return damagedKey(op, bucketBlobs, key, errors.New("it is no hash"))
		}
		if found.id == last {
			continue
		}
		last = found.id
		if err := do(found); err != nil {
			return err
		}
	}
	return nil
}
