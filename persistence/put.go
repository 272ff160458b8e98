package persistence

import (
	"bytes"

	bolt "go.etcd.io/bbolt"

	"betcode/messages"
	storev1 "betcode/proto/betcode/store/v1"
)

// put is what one append is about to write, encoded. Until apply nothing is
// changed.
type put struct {
	tx  *bolt.Tx
	ops []op
	err error // the first that could not be encoded
}

// op puts a value, or deletes a key.
type op struct {
	bucket     []byte
	key, value []byte // no value = delete
	fresh      bool   // there is no old value
}

func (p *put) chunk(c row) { p.ops = append(p.ops, op{bucketEvents, c.key, c.value, true}) }

func (p *put) remove(bucket, key []byte) { p.ops = append(p.ops, op{bucket: bucket, key: key}) }

func (p *put) record(bucket, key []byte, r record) {
	p.encoded(bucket, key, r, p.tx.Bucket(bucket).Get(key))
}

func (p *put) encoded(bucket, key []byte, r record, old []byte) {
	value, err := encode(key, r, old)
	if err != nil && p.err == nil {
		p.err = err
	}
	p.ops = append(p.ops, op{bucket: bucket, key: key, value: value})
}

// cursor puts the row that moves with every append. What an append does not
// move is taken from the old row.
func (p *put) cursor(next *entry, a *messages.Append) *messages.Error {
	key := rowKey(next.number, rowCursor)
	old := p.tx.Bucket(bucketSessions).Get(key)
	cursor := a.Cursor
	if cursor == nil && old != nil {
		if len(a.Events) == 0 {
			return nil
		}
		var c storev1.Cursor
		if err := decode(opAppend, bucketSessions, key, old, &c); err != nil {
			return asError(err)
		}
		moved := loadCursor(&c)
		cursor = &moved
	}
	if cursor == nil {
		cursor = &messages.Cursor{}
	}
	// A position is replaced whole: what a newer build knew about the old one
	// would not be true of the new one.
	p.encoded(bucketSessions, key, storeCursor(next, cursor), nil)
	return nil
}

func (p *put) refusal(a *messages.Append) *messages.Error {
	if p.err == nil {
		return nil
	}
	return (&messages.Error{Op: opAppend, Kind: messages.Invalid, Err: p.err}).With("session_id", string(a.Session))
}

// apply writes. What is there already is not written again: the body of an
// input stays, however often its state changes.
func (p *put) apply() error {
	for _, o := range p.ops {
		b := p.tx.Bucket(o.bucket)
		var err error
		switch {
		case o.value == nil:
			err = b.Delete(o.key)
		case o.fresh || !bytes.Equal(b.Get(o.key), o.value):
			err = b.Put(o.key, o.value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
