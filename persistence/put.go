package persistence

import (
	"betcode/messages"
	storev1 "betcode/proto/betcode/store/v1"
)

// put is what one append is about to write, encoded. Until it is applied to the
// group nothing is changed.
type put struct {
	view  view
	cells []*cell
	err   error // the first that could not be encoded
}

func (p *put) chunk(c row) { p.cells = append(p.cells, &cell{codeEvents, c.key, c.value}) }

func (p *put) remove(bucket, key []byte) {
	p.cells = append(p.cells, &cell{bucketCode(bucket), key, nil})
}

func (p *put) record(bucket, key []byte, r record) {
	old := p.view.get(bucket, key)
	if spillable(bucket) {
		old = p.view.inline(key, old)
	}
	p.encoded(bucket, key, r, old)
}

func (p *put) encoded(bucket, key []byte, r record, old []byte) {
	value, err := encode(key, r, old)
	if err != nil && p.err == nil {
		p.err = err
	}
	p.cells = append(p.cells, &cell{bucketCode(bucket), key, value})
}

// cursor puts the row that moves with every append. What an append does not
// move is taken from the old row.
func (p *put) cursor(next *entry, a *messages.Append) *messages.Error {
	key := rowKey(next.number, rowCursor)
	old := p.view.get(bucketSessions, key)
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
