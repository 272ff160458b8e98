package persistence

import (
	"bytes"
	"cmp"

	"betcode/messages"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/record"
	storev1 "betcode/proto/betcode/store/v1"
)

// rewriter copies the histories above the marks, and the list of sessions, from a sealed
// file. The state of sessions at the time of the seal is in later files.
type rewriter struct {
	carrier

	marks     marks
	rate      throttle
	left      map[uint64]*remains
	outOfLine int64
}

// remains is the rest of a session's history in the file.
type remains struct {
	dropped uint64 // events up to this one are dropped
	body    []byte // of the chunk with that event
	bytes   uint64
}

func (r *rewriter) all() error {
	steps := []func() error{
		func() error { return r.each(record.BucketEvents, r.chunk) },
		func() error { return r.each(record.BucketIDs, r.as(record.BucketIDs)) },
		func() error { return r.each(record.BucketSessions, r.session) },
		func() error { return r.each(record.BucketMeta, r.checkpoint) },
		r.flush,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (r *rewriter) each(bucket []byte, fn func(key, value []byte) error) error {
	return r.from.All(bucket, func(key, value []byte) error {
		if err := r.rate.pass(len(key) + len(value)); err != nil {
			return err
		}
		return fn(key, value)
	})
}

func (r *rewriter) as(bucket []byte) func(key, value []byte) error {
	return func(key, value []byte) error { return r.put(bucket, key, value) }
}

// chunk copies a chunk if an event of it may be needed.
func (r *rewriter) chunk(key, value []byte) error {
	number, _ := record.NumberOf(key)
	last, ok := record.SecondOf(key)
	body, err := record.Unstamp(key, value)
	if err != nil || !ok {
		return record.DamagedKey(fault.OpRewrite, record.BucketEvents, key, cmp.Or(err, record.ErrChunk))
	}
	left := r.left[number]
	if left == nil {
		left = &remains{}
		r.left[number] = left
	}
	_, length, out, err := record.Referenced(body)
	if err != nil {
		return record.DamagedKey(fault.OpRewrite, record.BucketEvents, key, err)
	}
	if r.marks.useless(number, messages.Seq(last)) {
		left.dropped, left.body = last, body
		return nil
	}
	if out {
		r.outOfLine += int64(length) //nolint:gosec // of a file
		left.bytes += length
	} else {
		left.bytes += uint64(len(body))
	}
	return r.put(record.BucketEvents, key, value)
}

// session copies the rows of a session: its existence, and the end of its history in this
// file. Of a deleted session no content is copied.
func (r *rewriter) session(key, value []byte) error {
	number, _ := record.NumberOf(key)
	if key[len(key)-1] != record.RowCursor {
		if !r.marks.gone(number) {
			return r.put(record.BucketSessions, key, value)
		}
		empty, err := record.Encode(key, &storev1.Session{Version: record.RecordVersion}, nil)
		if err != nil {
			return err
		}
		return r.put(record.BucketSessions, key, empty)
	}
	var c storev1.Cursor
	if err := record.Decode(fault.OpRewrite, record.BucketSessions, key, value, &c); err != nil {
		return err
	}
	if left := r.left[number]; left != nil {
		if err := r.drop(&c, left); err != nil {
			return record.DamagedKey(fault.OpRewrite, record.BucketEvents, record.PairKey(number, left.dropped), err)
		}
		c.Bytes = c.GetBaseBytes() + left.bytes
	}
	if r.marks.gone(number) {
		c.Translator = nil
	}
	kept, err := record.Encode(key, &c, nil)
	if err != nil {
		return err
	}
	return r.put(record.BucketSessions, key, kept)
}

// drop records in a cursor which events were dropped.
func (r *rewriter) drop(c *storev1.Cursor, left *remains) error {
	switch left.dropped {
	case 0:
	case c.GetHead():
		c.Dropped, c.DroppedChain = c.GetHead(), c.GetChain()
	default:
		body, err := r.large.Resolve(left.body)
		if err != nil {
			return err
		}
		_, chain, _ := record.Unchain(body)
		c.Dropped, c.DroppedChain = left.dropped, chain.Bytes()
	}
	return nil
}

func (r *rewriter) checkpoint(key, value []byte) error {
	if !bytes.Equal(key, record.CheckpointKey) {
		return nil // the new file has its own description
	}
	return r.put(record.BucketMeta, key, value)
}
