package persistence

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"

	"betcode/messages"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/memtable"
	"betcode/persistence/internal/record"
)

const (
	// MaxEvents bounds the events that [Store.Events] returns at once.
	MaxEvents = 256
	// defaultMaxBytes is the limit of Events if the caller gives none.
	defaultMaxBytes = 4 << 20
)

// Events returns copies of the events of a session that come after a number, in order:
// at most maxEvents of them (0 or more than [MaxEvents] means MaxEvents) and about maxBytes
// (0 = 4 MiB), but at least one if there is one. It reads sealed files too. A number
// beyond the head is [messages.OutOfRange].
//
// It skips events that were dropped: then the first returned event
// does not follow the number (see [Store.LowWater]).
//
// An event that cannot be read ends the list. It is an error, [messages.DataLoss], only
// if it is the first requested one.
func (s *Store) Events(id messages.SessionID, after messages.Seq, maxEvents, maxBytes int) ([]messages.Event, error) {
	done, err := s.reading(fault.OpEvents)
	if err != nil {
		return nil, err
	}
	defer done()
	e, err := s.index.find(fault.OpEvents, id)
	if err != nil {
		return nil, err
	}
	return s.events(e, after, maxEvents, maxBytes)
}

// events is Events of an existing session. The caller is reading.
func (s *Store) events(e *entry, after messages.Seq, maxEvents, maxBytes int) ([]messages.Event, error) {
	if after > e.head {
		return nil, messages.Errorf(fault.OpEvents, messages.OutOfRange, "event %d of %d", after, e.head).
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
			err = look(fault.OpEvents, func(v memtable.View) error { return r.read(v, until) })
		}
		if err != nil {
			return r.readable(err)
		}
	}
	return r.events, nil
}

// errDropped means that an event, and those up to the number that comes with the
// error, were dropped.
var errDropped = errors.New("dropped")

// holder returns a function that reads the file or the logs with an event, and the number of the last
// event of its session there. The caller is reading.
func (s *Store) holder(e *entry, seq messages.Seq) (func(op string, fn func(memtable.View) error) error, messages.Seq, error) {
	if seq > e.base {
		return s.look, e.head, nil
	}
	for i := len(s.manifest.Sealed) - 1; i >= 0; i-- {
		f, err := s.openSealed(fault.OpEvents, s.manifest.Sealed[i].Name)
		if err != nil {
			return nil, 0, err
		}
		c, err := f.CursorOf(fault.OpEvents, e.number)
		if err != nil {
			return nil, 0, err
		}
		if c != nil && seq > messages.Seq(c.GetBase()) && seq <= messages.Seq(c.GetHead()) {
			if dropped := messages.Seq(c.GetDropped()); seq <= dropped {
				return nil, dropped, errDropped
			}
			return f.Look, messages.Seq(c.GetHead()), nil
		}
	}
	if low, err := s.lowWater(e); err == nil && seq <= low {
		return nil, low, errDropped
	}
	return nil, 0, missing(e.number, seq)
}

// openSealed returns a sealed file, open until the store is closed. The caller
// is reading.
func (s *Store) openSealed(op, name string) (*boltfile.File, error) {
	s.sealedMu.Lock()
	defer s.sealedMu.Unlock()
	if f := s.sealed[name]; f != nil {
		return f, nil
	}
	f, err := boltfile.Open(op, filepath.Join(s.options.Directory, name), boltfile.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	if err := f.CheckDescription(op, s.lineage); err != nil {
		f.Close()
		return nil, err
	}
	f.Payloads = s.blobs
	s.sealed[name] = f
	return f, nil
}

// reader gathers events until it is full.
type reader struct {
	number      uint64
	next        messages.Seq // the next number
	room, bytes int
	full        bool
	events      []messages.Event
}

// readable returns the events that were read before an error. The next call begins there, and
// returns the error.
func (r *reader) readable(err error) ([]messages.Event, error) {
	if len(r.events) > 0 {
		return r.events, nil
	}
	return nil, err
}

// read reads events from one file, up to number until.
func (r *reader) read(v memtable.View, until messages.Seq) error {
	err := v.From(record.BucketEvents, record.PairKey(r.number, uint64(r.next)), func(key, value []byte) (bool, error) {
		number, _ := record.NumberOf(key)
		last, ok := record.SecondOf(key)
		if !ok || number != r.number || messages.Seq(last) > until {
			return false, nil
		}
		body, err := v.Body(key, value)
		if err != nil {
			return false, record.DamagedKey(fault.OpEvents, record.BucketEvents, key, err)
		}
		events, err := record.DecodeChunk(bytes.Clone(body))
		if err != nil {
			return false, record.DamagedKey(fault.OpEvents, record.BucketEvents, key, err)
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
	return record.DamagedKey(fault.OpEvents, record.BucketEvents, record.PairKey(number, uint64(seq)), fmt.Errorf("event %d is missing", seq))
}
