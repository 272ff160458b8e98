package persistence

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"time"

	"betcode/messages"
	"betcode/persistence/internal/blob"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/memtable"
	"betcode/persistence/internal/record"
	storev1 "betcode/proto/betcode/store/v1"
)

// carrier copies live state into a new file, with the events that only the logs have.
type carrier struct {
	from    memtable.View
	to      *boltfile.File
	now     time.Time
	numbers uint64      // the newest number of a session
	group   uint64      // the newest group of the logs
	large   *blob.Spill // the large values

	waiting []op
	bytes   int
}

// op puts a value.
type op struct{ bucket, key, value []byte }

func (c *carrier) all() error {
	steps := []func() error{
		func() error { return c.each(record.BucketIDs, c.identity) },
		func() error { return c.each(record.BucketSessions, c.session) },
		c.runs,
		func() error { return c.each(record.BucketInputs, c.as(record.BucketInputs)) },
		func() error { return c.each(record.BucketBodies, c.as(record.BucketBodies)) },
		func() error { return c.each(record.BucketPermissions, c.as(record.BucketPermissions)) },
		c.keys,
		c.events,
		c.flush,
		func() error {
			return c.to.Update(fault.OpSeal, func(tx *boltfile.Tx) error { return boltfile.PutCheckpoint(tx, c.group) })
		},
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// events copies the events that are in the logs alone.
func (c *carrier) events() error {
	joined := record.Joiner{Put: c.as(record.BucketEvents)}
	if err := (memtable.View{Over: c.from.Over}).All(record.BucketEvents, joined.Add); err != nil {
		return err
	}
	return joined.Flush()
}

func (c *carrier) each(bucket []byte, fn func(key, value []byte) error) error {
	return c.from.All(bucket, fn)
}

// put copies one value as it is, even a damaged one: a seal must not lose
// values.
func (c *carrier) put(bucket, key, value []byte) error {
	value, err := c.large.Value(bucket, key, value)
	if err != nil {
		return err
	}
	c.waiting = append(c.waiting, op{bucket, key, value})
	if c.bytes += len(key) + len(value); c.bytes < carryBytes {
		return nil
	}
	return c.flush()
}

func (c *carrier) flush() error {
	err := c.large.Settle()
	if err != nil {
		return err
	}
	err = c.to.Update(fault.OpSeal, func(tx *boltfile.Tx) error {
		if err := tx.SetNumbers(c.numbers); err != nil {
			return err
		}
		for _, o := range c.waiting {
			if err := tx.PutDense(o.bucket, o.key, o.value); err != nil {
				return err
			}
		}
		return c.large.List(tx)
	})
	c.waiting, c.bytes = nil, 0
	return err
}

func (c *carrier) as(bucket []byte) func(key, value []byte) error {
	return func(key, value []byte) error { return c.put(bucket, key, value) }
}

func (c *carrier) identity(key, value []byte) error {
	var i storev1.Identity
	if err := record.Decode(fault.OpSeal, record.BucketIDs, key, value, &i); err == nil && i.GetDeleted() != nil && !c.stays(i.GetDeleted()) {
		return nil
	}
	return c.put(record.BucketIDs, key, value)
}

// stays reports whether a tombstone is carried on. The consumption of a subagent counts as long as its parent session exists.
func (c *carrier) stays(t *storev1.Tombstone) bool {
	return c.now.Sub(record.LoadTime(t.GetAt())) <= tombstoneAge || t.GetParent() != "" && c.from.Get(record.BucketIDs, []byte(t.GetParent())) != nil
}

// session copies a session's rows. In the new file its history begins after the part
// in the old one.
func (c *carrier) session(key, value []byte) error {
	if key[len(key)-1] == record.RowCursor {
		var cursor storev1.Cursor
		if err := record.Decode(fault.OpSeal, record.BucketSessions, key, value, &cursor); err == nil {
			if err := c.rebase(key, &cursor); err != nil {
				return err
			}
			moved, err := record.Encode(key, &cursor, nil) // with the fields that this build does not know
			if err != nil {
				return err
			}
			value = moved
		}
	}
	return c.put(record.BucketSessions, key, value)
}

// rebase converts a cursor to the new file. A session that is not in the old one
// keeps the beginning of its history.
func (c *carrier) rebase(key []byte, cursor *storev1.Cursor) error {
	value := c.from.File.Get(record.BucketSessions, key)
	if value == nil {
		return nil
	}
	var filed storev1.Cursor
	if err := record.Decode(fault.OpSeal, record.BucketSessions, key, value, &filed); err != nil {
		return err
	}
	cursor.Base, cursor.BaseChain, cursor.BaseBytes = filed.GetHead(), filed.GetChain(), filed.GetBytes()
	cursor.Dropped, cursor.DroppedChain = 0, nil
	return nil
}

// runs copies the newest run of each session, and runs that have not ended. No others
// are needed.
func (c *carrier) runs() error {
	var newest op // of the previous session
	err := c.each(record.BucketRuns, func(key, value []byte) error {
		older := newest.key != nil && bytes.Equal(newest.key[:8], key[:8])
		before := newest
		newest = op{record.BucketRuns, key, value}
		if before.key == nil || (older && record.HasEnded(before.key, before.value)) {
			return nil
		}
		return c.put(record.BucketRuns, before.key, before.value)
	})
	if err != nil || newest.key == nil {
		return err
	}
	return c.put(record.BucketRuns, newest.key, newest.value)
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
			if err := c.put(record.BucketKeys, r.key, r.value); err != nil {
				return err
			}
		}
		group = group[:0]
		return nil
	}
	err := c.each(record.BucketKeys, func(key, value []byte) error {
		var k storev1.Key
		seq := messages.Seq(math.MaxUint64) // a damaged key is kept
		if err := record.Decode(fault.OpSeal, record.BucketKeys, key, value, &k); err == nil {
			if c.now.Sub(record.LoadTime(k.GetAt())) > keyAge {
				return nil
			}
			seq = messages.Seq(k.GetSeq())
		}
		if number, _ := record.NumberOf(key); number != of {
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
