package persistence

import (
	"bytes"
	"cmp"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"

	"betcode/messages"
	"betcode/messages/failpoint"
	storev1 "betcode/proto/betcode/store/v1"
)

const (
	// What is carried from file to file is bounded: no more idempotency keys
	// than this for a session, none older than this, and no older tombstones.
	maxKeys      = 1024
	keyAge       = 30 * 24 * time.Hour
	tombstoneAge = 30 * 24 * time.Hour

	// carryBytes is how much is copied in one transaction.
	carryBytes = 4 << 20
)

// SealDue reports whether the active file has grown so much that it should be
// sealed. What it began with does not count: that would come back.
func (s *Store) SealDue() bool {
	done, err := s.reading(opSeal)
	if err != nil {
		return false
	}
	defer done()
	return failpoint.Fail(failpoint.SealDue) != nil || s.active.size()-s.active.builtBytes > s.options.SealBytes
}

// Seal begins a new file: it copies all live state, everything but events, and
// makes the old file one that is only read. Reads go on meanwhile; commits wait.
// A failed Seal changes nothing, unless the error says that the journal must be
// opened again.
func (s *Store) Seal() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.writable(opSeal); err != nil {
		return err
	}
	number, err := fileNumber(s.manifest.Active)
	if err != nil {
		return err
	}
	failpoint.Hit(failpoint.SealBegun)
	now, size := s.options.Now(), int64(0)
	next := &manifest{Format: Format, Lineage: s.lineage, Active: fileName(number + 1)}
	err = s.build(opSeal, next.Active, s.lineage, func(to *file) error {
		return s.active.view(opSeal, func(tx *bolt.Tx) error {
			size = tx.Size()
			c := carrier{from: tx, to: to, now: now}
			return c.all()
		})
	})
	if err != nil {
		return err
	}
	next.Sealed = append(slices.Clone(s.manifest.Sealed),
		sealedFile{Name: s.manifest.Active, Bytes: size, SealedAt: now.UTC()})
	failpoint.Hit(failpoint.SealBuilt)
	renamed, err := next.write(s.options.Directory, s.options.steps)
	if err != nil && !renamed {
		os.Remove(filepath.Join(s.options.Directory, next.Active))
		return storageError(opSeal, err)
	}
	if err != nil {
		return s.fail(opSeal, err) // which of the two manifests will a crash leave?
	}
	failpoint.Hit(failpoint.SealNamed)
	return s.switchTo(next)
}

// switchTo goes on with the file that the manifest names.
func (s *Store) switchTo(next *manifest) error {
	active, err := s.openActive(next.Active)
	if err != nil {
		return s.fail(opSeal, err)
	}
	old := s.active
	s.files.Lock()
	s.active, s.manifest, s.index = active, next, s.index.sealed()
	s.files.Unlock()
	s.counts.retire(old)
	old.close() // it was all on disk; there is nothing to lose
	return s.options.steps.at("sealed")
}

// carrier copies live state into a new file.
type carrier struct {
	from *bolt.Tx
	to   *file
	now  time.Time

	waiting []op
	bytes   int
}

func (c *carrier) all() error {
	steps := []func() error{
		func() error { return c.each(bucketIDs, c.identity) },
		func() error { return c.each(bucketSessions, c.session) },
		c.runs,
		func() error { return c.each(bucketInputs, c.as(bucketInputs)) },
		func() error { return c.each(bucketBodies, c.as(bucketBodies)) },
		func() error { return c.each(bucketPermissions, c.as(bucketPermissions)) },
		c.keys,
		c.flush,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (c *carrier) each(bucket []byte, fn func(key, value []byte) error) error {
	return c.from.Bucket(bucket).ForEach(fn)
}

// put copies one value. Values are copied as they are, damaged ones too: a seal
// is not where they should be lost.
func (c *carrier) put(bucket, key, value []byte) error {
	c.waiting = append(c.waiting, op{bucket: bucket, key: key, value: value})
	if c.bytes += len(key) + len(value); c.bytes < carryBytes {
		return nil
	}
	return c.flush()
}

func (c *carrier) flush() error {
	err := c.to.update(opSeal, func(tx *bolt.Tx) error {
		if err := tx.Bucket(bucketIDs).SetSequence(c.from.Bucket(bucketIDs).Sequence()); err != nil {
			return err
		}
		for _, o := range c.waiting {
			b := tx.Bucket(o.bucket)
			b.FillPercent = fillPercent
			if err := b.Put(o.key, o.value); err != nil {
				return err
			}
		}
		return nil
	})
	c.waiting, c.bytes = nil, 0
	return err
}

func (c *carrier) as(bucket []byte) func(key, value []byte) error {
	return func(key, value []byte) error { return c.put(bucket, key, value) }
}

func (c *carrier) identity(key, value []byte) error {
	var i storev1.Identity
	if err := decode(opSeal, bucketIDs, key, value, &i); err == nil && i.GetDeleted() != nil &&
		c.now.Sub(loadTime(i.GetDeleted().GetAt())) > tombstoneAge {
		return nil
	}
	return c.put(bucketIDs, key, value)
}

// session copies a session's rows. In the new file its history begins after its
// head.
func (c *carrier) session(key, value []byte) error {
	if key[len(key)-1] == rowCursor {
		var cursor storev1.Cursor
		if err := decode(opSeal, bucketSessions, key, value, &cursor); err == nil {
			cursor.Base, cursor.BaseChain = cursor.GetHead(), cursor.GetChain()
			moved, err := encode(key, &cursor, nil) // with what this build does not know of it
			if err != nil {
				return err
			}
			value = moved
		}
	}
	return c.put(bucketSessions, key, value)
}

// runs copies the newest run of each session and those that have not ended.
// Nobody asks for others.
func (c *carrier) runs() error {
	cursor := c.from.Bucket(bucketRuns).Cursor()
	key, value := cursor.First()
	for key != nil {
		following, after := cursor.Next()
		newest := following == nil || !bytes.Equal(key[:8], following[:8])
		if newest || !hasEnded(key, value) {
			if err := c.put(bucketRuns, key, value); err != nil {
				return err
			}
		}
		key, value = following, after
	}
	return nil
}

// keys copies the newest idempotency keys of each session.
func (c *carrier) keys() error {
	type remembered struct {
		key, value []byte
		seq        messages.Seq
	}
	var group []remembered
	var of uint64
	carry := func() error {
		slices.SortFunc(group, func(a, b remembered) int { return cmp.Compare(b.seq, a.seq) })
		group = group[:min(len(group), maxKeys)]
		slices.SortFunc(group, func(a, b remembered) int { return bytes.Compare(a.key, b.key) })
		for _, r := range group {
			if err := c.put(bucketKeys, r.key, r.value); err != nil {
				return err
			}
		}
		group = group[:0]
		return nil
	}
	err := c.each(bucketKeys, func(key, value []byte) error {
		var k storev1.Key
		seq := messages.Seq(math.MaxUint64) // a damaged one stays
		if err := decode(opSeal, bucketKeys, key, value, &k); err == nil {
			if c.now.Sub(loadTime(k.GetAt())) > keyAge {
				return nil
			}
			seq = messages.Seq(k.GetSeq())
		}
		if number, _ := numberOf(key); number != of {
			if err := carry(); err != nil {
				return err
			}
			of = number
		}
		group = append(group, remembered{key, value, seq})
		return nil
	})
	if err != nil {
		return err
	}
	return carry()
}
