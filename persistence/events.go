package persistence

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"

	bolt "go.etcd.io/bbolt"
	"google.golang.org/protobuf/encoding/protowire"

	"betcode/messages"
	storev1 "betcode/proto/betcode/store/v1"
)

const (
	// chunkBytes is the size above which events are spread over several chunks; an
	// event alone may be bigger. Two such chunks, the least that bbolt puts into a
	// page, fill four of the system's. The figures are in the package comment.
	chunkBytes = 8<<10 - 80
	// fillPercent of the pages of events. Sessions grow in their middle.
	fillPercent = 0.9

	// MaxEvents is the most that [Store.Events] returns at once.
	MaxEvents = 256
	// defaultMaxBytes applies where the caller of Events does not care.
	defaultMaxBytes = 4 << 20

	eventTag = 1<<3 | byte(protowire.BytesType) // repeated bytes events = 1
)

// row is one key and value to be written.
type row struct{ key, value []byte }

// encodeEvents returns the chunks for consecutive events of one append, their
// values without link and checksum. The key of a chunk is the number of its last
// event, so that seeking a number finds the chunk that holds it.
func encodeEvents(number uint64, events []messages.Event) []row {
	var rows []row
	var body []byte
	for i, e := range events {
		if body == nil {
			body = make([]byte, 0, min(chunkBytes, bodyBytes(events[i:]))+chainBytes+checksumBytes)
		}
		body = append(body, eventTag)
		body = protowire.AppendBytes(body, e.Bytes)
		if i+1 == len(events) || len(body)+eventBytes(events[i+1]) > chunkBytes-chainBytes {
			key := pairKey(number, uint64(e.Seq))
			rows = append(rows, row{key, body})
			body = nil
		}
	}
	return rows
}

func eventBytes(e messages.Event) int { return 1 + protowire.SizeBytes(len(e.Bytes)) }

func bodyBytes(events []messages.Event) (n int) {
	for _, e := range events {
		if n += eventBytes(e); n >= chunkBytes {
			break
		}
	}
	return n
}

var errChunk = errors.New("chunk is not a list of events")

// decodeChunk returns the events of a chunk, as parts of body. Fields of a
// newer build are passed over.
func decodeChunk(body []byte) ([][]byte, error) {
	var events [][]byte
	for len(body) > 0 {
		number, kind, n := protowire.ConsumeTag(body)
		if n < 0 {
			return nil, errChunk
		}
		body = body[n:]
		if number == 1 && kind == protowire.BytesType {
			event, n := protowire.ConsumeBytes(body)
			if n < 0 {
				return nil, errChunk
			}
			events, body = append(events, event[:len(event):len(event)]), body[n:]
			continue
		}
		if n = protowire.ConsumeFieldValue(number, kind, body); n < 0 {
			return nil, errChunk
		}
		body = body[n:]
	}
	if len(events) == 0 {
		return nil, errChunk
	}
	return events, nil
}

// Events returns copies of the events of a session that come after a number, in
// order: at most maxEvents of them (0 or more than [MaxEvents] means that) and
// about maxBytes (0 = 4 MiB), but at least one if there is one. It finds those
// in sealed files as well. A number beyond the head is [messages.OutOfRange].
//
// Events that were dropped or given up are passed over: then the first that is returned does
// not follow the number (see [Store.LowWater]).
//
// What cannot be read ends the list; it is an error, [messages.DataLoss], only
// when it is the first that was asked for.
func (s *Store) Events(id messages.SessionID, after messages.Seq, maxEvents, maxBytes int) ([]messages.Event, error) {
	done, err := s.reading(opEvents)
	if err != nil {
		return nil, err
	}
	defer done()
	e, err := s.index.find(opEvents, id)
	if err != nil {
		return nil, err
	}
	return s.events(e, after, maxEvents, maxBytes)
}

// events is Events of a session that is there. The caller is reading.
func (s *Store) events(e *entry, after messages.Seq, maxEvents, maxBytes int) ([]messages.Event, error) {
	if after > e.head {
		return nil, messages.Errorf(opEvents, messages.OutOfRange, "event %d of %d", after, e.head).
			With("session_id", string(e.id))
	}
	if maxEvents <= 0 || maxEvents > MaxEvents {
		maxEvents = MaxEvents
	}
	if maxBytes <= 0 {
		maxBytes = defaultMaxBytes
	}
	r := reader{number: e.number, next: max(after, e.low) + 1, room: maxEvents, bytes: maxBytes}
	for r.next <= e.head && !r.full {
		look, until, err := s.holder(e, r.next)
		if errors.Is(err, errDropped) {
			r.next = until + 1
			continue
		}
		if err == nil {
			err = look(opEvents, func(v view) error { return r.read(v, until) })
		}
		if err != nil {
			return r.readable(err)
		}
	}
	return r.events, nil
}

// errDropped says that an event, and those up to the number that comes with the
// error, were dropped.
var errDropped = errors.New("dropped")

// holder returns how to look at what holds an event, and the number of the last
// event of its session there. The caller is reading.
func (s *Store) holder(e *entry, seq messages.Seq) (func(op string, fn func(view) error) error, messages.Seq, error) {
	if seq > e.base {
		return s.look, e.head, nil
	}
	for i := len(s.manifest.Sealed) - 1; i >= 0; i-- {
		f, err := s.openSealed(opEvents, s.manifest.Sealed[i].Name)
		if err != nil {
			return nil, 0, err
		}
		c, err := cursorIn(opEvents, f, e.number)
		if err != nil {
			return nil, 0, err
		}
		if c != nil && seq > messages.Seq(c.GetBase()) && seq <= messages.Seq(c.GetHead()) {
			if dropped := messages.Seq(c.GetDropped()); seq <= dropped {
				return nil, dropped, errDropped
			}
			return f.look, messages.Seq(c.GetHead()), nil
		}
	}
	if low, err := s.lowWater(e); err == nil && seq <= low {
		return nil, low, errDropped
	}
	return nil, 0, missing(e.number, seq)
}

// openSealed returns a sealed file, open until the store is closed. The caller
// is reading.
func (s *Store) openSealed(op, name string) (*file, error) {
	s.sealedMu.Lock()
	defer s.sealedMu.Unlock()
	if f := s.sealed[name]; f != nil {
		return f, nil
	}
	f, err := openBolt(op, filepath.Join(s.options.Directory, name), bolt.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	if err := f.checkDescription(op, s.lineage); err != nil {
		f.close()
		return nil, err
	}
	f.blobs = s.blobs
	s.sealed[name] = f
	return f, nil
}

// reader gathers events until it is full.
type reader struct {
	number      uint64
	next        messages.Seq // the number that comes next
	room, bytes int
	full        bool
	events      []messages.Event
}

// readable gives what was read before an error. The next call begins there, and
// returns the error.
func (r *reader) readable(err error) ([]messages.Event, error) {
	if len(r.events) > 0 {
		return r.events, nil
	}
	return nil, err
}

// read takes events from one file, up to number until.
func (r *reader) read(v view, until messages.Seq) error {
	err := v.from(bucketEvents, pairKey(r.number, uint64(r.next)), func(key, value []byte) (bool, error) {
		number, _ := numberOf(key)
		last, ok := secondOf(key)
		if !ok || number != r.number || messages.Seq(last) > until {
			return false, nil
		}
		body, err := v.body(key, value)
		if err != nil {
			return false, damagedKey(opEvents, bucketEvents, key, err)
		}
		events, err := decodeChunk(bytes.Clone(body))
		if err != nil {
			return false, damagedKey(opEvents, bucketEvents, key, err)
		}
		first := last - uint64(len(events)) + 1
		if first > uint64(r.next) || uint64(len(events)) > last {
			return false, missing(r.number, r.next)
		}
		r.take(events[uint64(r.next)-first:])
		return r.next <= until && !r.full, nil
	})
	if err == nil && r.next <= until && !r.full {
		err = missing(r.number, r.next)
	}
	return err
}

func (r *reader) take(events [][]byte) {
	for _, e := range events {
		if r.room == 0 || (len(e) > r.bytes && len(r.events) > 0) {
			r.full = true
			return
		}
		r.events = append(r.events, messages.Event{Seq: r.next, Bytes: e})
		r.next, r.room, r.bytes = r.next+1, r.room-1, r.bytes-len(e)
	}
}

func missing(number uint64, seq messages.Seq) error {
	return damagedKey(opEvents, bucketEvents, pairKey(number, uint64(seq)), fmt.Errorf("event %d is missing", seq))
}

// cursorIn returns a session's cursor as a file has it, nil if it has none.
func cursorIn(op string, f *file, number uint64) (*storev1.Cursor, error) {
	var cursor *storev1.Cursor
	err := f.view(op, func(tx *bolt.Tx) error {
		key := rowKey(number, rowCursor)
		value := tx.Bucket(bucketSessions).Get(key)
		if value == nil {
			return nil
		}
		cursor = &storev1.Cursor{}
		return decode(op, bucketSessions, key, value, cursor)
	})
	return cursor, err
}
