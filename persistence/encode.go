package persistence

import (
	"bytes"
	"time"

	"betcode/messages"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/memtable"
	"betcode/persistence/internal/record"
	storev1 "betcode/proto/betcode/store/v1"
)

// encoder collects the rows that one append puts and deletes, in the order in which the
// group has them. No other code turns an append into rows. The group takes
// them when all of them are encoded, so an append that cannot be encoded changes nothing.
type encoder struct {
	view memtable.View    // the present rows, with the changes of the group so far
	now  func() time.Time // for idempotency keys and tombstones
	rows []*record.Row
	err  error // of the first row that could not be encoded
}

// append encodes an append. next is the session after it, and gets the chain behind
// the new events; began means that this append begins the session; st is the staged part
// of the append, nil if there is none.
func (e *encoder) append(a *messages.Append, next *entry, began bool, st *staged) *messages.Error {
	n := next.number
	if began {
		e.record(record.BucketIDs, []byte(a.Session), &storev1.Identity{Version: record.RecordVersion, Number: n})
	}
	e.events(a, next, st)
	if a.Record != nil {
		e.record(record.BucketSessions, record.RowKey(n, record.RowSession), record.StoreSession(a.Record))
	}
	if a.Run != nil {
		e.record(record.BucketRuns, record.PairKey(n, uint64(a.Run.Run)), record.StoreRun(a.Run))
	}
	for i := range a.Inputs {
		e.input(n, &a.Inputs[i], st.body(i))
	}
	for _, settled := range a.Done {
		e.remove(record.BucketInputs, record.NameKey(n, settled))
		e.remove(record.BucketBodies, record.NameKey(n, settled))
	}
	for i := range a.Permissions {
		e.record(record.BucketPermissions, record.NameKey(n, string(a.Permissions[i].Request)), record.StorePermission(&a.Permissions[i]))
	}
	for _, request := range a.Resolved {
		e.remove(record.BucketPermissions, record.NameKey(n, string(request)))
	}
	for _, key := range a.Keys() {
		e.record(record.BucketKeys, record.NameKey(n, key), &storev1.Key{Version: record.RecordVersion, Seq: uint64(next.head), At: record.StoreTime(e.now())})
	}
	for i := range a.Answered {
		r := &a.Answered[i]
		e.record(record.BucketKeys, record.NameKey(n, r.Key), &storev1.Key{
			Version: record.RecordVersion, Seq: uint64(next.head), At: record.StoreTime(e.now()), Digest: r.Digest, Answer: r.Answer,
		})
	}
	if refusal := e.cursor(a, next); refusal != nil {
		return refusal
	}
	if e.err != nil {
		return (&messages.Error{Op: fault.OpAppend, Kind: messages.Invalid, Err: e.err}).With("session_id", string(a.Session))
	}
	return nil
}

// deletion encodes the deletion of a session: all live rows are deleted, and a tombstone stays
// with the session's consumption. last is its newest record, nil if it is not known.
// The events stay in their file until it is rewritten, but are no longer found.
func (e *encoder) deletion(gone *entry, last *messages.SessionRecord) error {
	for _, bucket := range record.LiveBuckets {
		if gone.number == 0 {
			break // the session's identity is damaged: its rows are not known
		}
		err := e.view.Each(bucket, record.PrefixOf(gone.number), func(key, _ []byte) error {
			e.remove(bucket, bytes.Clone(key))
			return nil
		})
		if err != nil {
			return err
		}
	}
	stone := record.StoreTombstone(gone.head, e.now(), last)
	gone.remains = record.LoadTombstone(gone.id, stone)
	e.replace(record.BucketIDs, []byte(gone.id), &storev1.Identity{Version: record.RecordVersion, Number: gone.number, Deleted: stone}, nil)
	return e.err
}

// events encodes the events of an append as chunks, or takes those that were staged.
func (e *encoder) events(a *messages.Append, next *entry, st *staged) {
	var chunks []record.Chunk
	if st != nil {
		chunks, next.chain = st.chunks, st.chain
	} else {
		chunks, next.chain = record.ChainEvents(next.number, a.Events, next.chain)
	}
	for _, c := range chunks {
		e.rows = append(e.rows, &record.Row{Bucket: record.CodeEvents, Key: c.Key, Value: c.Value})
	}
}

// input encodes an input and its body. staged is the reference that replaces the body if that was
// written out of line before, unless the stored body has fields of a newer build to be kept.
func (e *encoder) input(number uint64, r *messages.InputRecord, staged []byte) {
	key := record.NameKey(number, r.Key)
	e.record(record.BucketInputs, key, record.StoreInput(r))
	if staged != nil {
		if old := e.view.Get(record.BucketBodies, key); old == nil || bytes.Equal(old, staged) {
			e.rows = append(e.rows, &record.Row{Bucket: record.CodeBodies, Key: key, Value: staged})
			return
		}
	}
	e.record(record.BucketBodies, key, record.StoreBody(r))
}

// cursor encodes the row that changes with every append. A position that the append does
// not change is copied from the old row.
func (e *encoder) cursor(a *messages.Append, next *entry) *messages.Error {
	key := record.RowKey(next.number, record.RowCursor)
	old := e.view.Get(record.BucketSessions, key)
	cursor := a.Cursor
	if cursor == nil && old != nil {
		if len(a.Events) == 0 {
			return nil
		}
		var c storev1.Cursor
		if err := record.Decode(fault.OpAppend, record.BucketSessions, key, old, &c); err != nil {
			return fault.As(err)
		}
		moved := record.LoadCursor(&c)
		cursor = &moved
	}
	if cursor == nil {
		cursor = &messages.Cursor{}
	}
	// A position is replaced whole: fields that a newer build wrote about the old
	// position do not apply to the new one.
	e.replace(record.BucketSessions, key, record.StoreCursor(next.position(), cursor), nil)
	return nil
}

// record encodes a record and keeps fields of the stored one that this build does not
// know.
func (e *encoder) record(bucket, key []byte, r record.Record) {
	old := e.view.Get(bucket, key)
	if record.MayBePayload(bucket) {
		old = e.view.Inline(key, old)
	}
	e.replace(bucket, key, r, old)
}

// replace encodes a record in place of old.
func (e *encoder) replace(bucket, key []byte, r record.Record, old []byte) {
	value, err := record.Encode(key, r, old)
	if err != nil && e.err == nil {
		e.err = err
	}
	e.rows = append(e.rows, &record.Row{Bucket: record.BucketCode(bucket), Key: key, Value: value})
}

// remove encodes the deletion of a row.
func (e *encoder) remove(bucket, key []byte) {
	e.rows = append(e.rows, &record.Row{Bucket: record.BucketCode(bucket), Key: key})
}
