package persistence

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"betcode/messages"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/memtable"
	"betcode/persistence/internal/record"
	storev1 "betcode/proto/betcode/store/v1"
)

// condemn marks a session that could not be loaded as damaged. It ignores errors that are
// not about damage.
func (x *index) condemn(id messages.SessionID, reason error) {
	if reason == nil || messages.KindOf(reason) != messages.DataLoss {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	e := x.entries[id]
	if e == nil || e.deleted || e.damaged != nil || e.unsound != nil {
		return
	}
	next := *e
	next.unsound = fault.As(reason)
	x.entries[id] = &next
	x.broken[id] = true
	x.listed, x.stale = nil, true
}

// damaged returns the live sessions that are known to be damaged,
// the newest first.
func (x *index) damaged() []*entry {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var all []*entry
	for id := range x.broken {
		if e := x.entries[id]; e != nil && !e.deleted {
			all = append(all, e)
		}
	}
	slices.SortFunc(all, newestFirst)
	return all
}

// DamagedSessions returns how many sessions are known to be damaged, and the
// first of them. It does no I/O.
func (s *Store) DamagedSessions() (number int, first messages.SessionID) {
	done, err := s.reading(fault.OpSessions)
	if err != nil {
		return 0, ""
	}
	defer done()
	all := s.index.damaged()
	if len(all) > 0 {
		first = all[0].id
	}
	return len(all), first
}

// Damaged lists the sessions that cannot be loaded, with their readable parts.
func (s *Store) Damaged() ([]messages.DamagedSession, error) {
	done, err := s.reading(fault.OpSessions)
	if err != nil {
		return nil, err
	}
	defer done()
	var all []messages.DamagedSession
	for _, e := range s.index.damaged() {
		all = append(all, s.salvaged(e))
	}
	return all, nil
}

// Salvage returns the readable parts of a session that cannot be loaded. found is false if
// there is no such session.
func (s *Store) Salvage(id messages.SessionID) (d messages.DamagedSession, found bool, err error) {
	done, err := s.reading(fault.OpLoad)
	if err != nil {
		return d, false, err
	}
	defer done()
	e := s.index.get(id)
	if e == nil || e.deleted || e.damaged == nil && e.unsound == nil {
		return d, false, nil
	}
	return s.salvaged(e), true, nil
}

// salvaged returns the readable parts of a damaged session. The caller is reading.
func (s *Store) salvaged(e *entry) messages.DamagedSession {
	reason := cmp.Or(e.damaged, e.unsound)
	d := messages.DamagedSession{Err: e.damage(fault.OpLoad, reason).WithHint(hintSession(e.id))}
	d.Record = messages.SessionRecord{ID: e.id, Name: e.name, WorkingDirectory: e.directory, WorktreeID: e.worktree, UpdatedAt: e.updated}
	// An error here is damage that is already known.
	_ = s.look(fault.OpLoad, func(v memtable.View) error {
		var session storev1.Session
		found, err := loader{view: v, op: fault.OpLoad, id: e.id, number: e.number}.get(record.BucketSessions, record.RowKey(e.number, record.RowSession), &session)
		if found && err == nil {
			d.Record = record.LoadSession(e.id, 0, &session)
		}
		return nil
	})
	d.Record.Head = s.readable(e).head
	d.Record.Phase, d.Record.Condition = messages.PhaseDamaged, messages.JournalDamaged
	return d
}

// hintSession returns the hint for a damaged session.
func hintSession(id messages.SessionID) string {
	return "Export what can be read with 'betcode session export " + string(id) + "', then delete it with 'betcode session delete " +
		string(id) + "'; or restore a backup: betcode journal restore."
}

// readable returns a session with the number of its newest existing event.
// A damaged cursor does not have that number. The caller is reading.
func (s *Store) readable(e *entry) *entry {
	if e.damaged == nil {
		return e
	}
	found := *e
	_ = s.look(fault.OpEvents, func(v memtable.View) error {
		return v.Each(record.BucketEvents, record.PrefixOf(e.number), func(key, _ []byte) error {
			if last, ok := record.SecondOf(key); ok {
				found.head = max(found.head, messages.Seq(last))
			}
			return nil
		})
	})
	for i := len(s.manifest.Sealed) - 1; i >= 0 && found.base == 0; i-- {
		f, err := s.openSealed(fault.OpEvents, s.manifest.Sealed[i].Name)
		if err != nil {
			continue
		}
		if c, err := f.CursorOf(fault.OpEvents, e.number); err == nil && c != nil {
			found.base = messages.Seq(c.GetHead())
		}
	}
	found.head = max(found.head, found.base)
	return &found
}

// Salvaged is [Store.Events] for histories with damage in them, and for sessions
// that cannot be loaded: it skips events that cannot be read, and gap is the range
// of skipped events between the number and the first that is returned.
func (s *Store) Salvaged(id messages.SessionID, after messages.Seq, maxEvents, maxBytes int) (
	events []messages.Event, gap *messages.HistoryGap, err error,
) {
	done, err := s.reading(fault.OpEvents)
	if err != nil {
		return nil, nil, err
	}
	defer done()
	e := s.index.get(id)
	if e == nil || e.deleted {
		return nil, nil, unknownSession(fault.OpEvents, id)
	}
	e = s.readable(e)
	if after >= e.head {
		return nil, nil, nil
	}
	events, err = s.events(e, after, maxEvents, maxBytes)
	if err == nil || messages.KindOf(err) != messages.DataLoss {
		return events, nil, err
	}
	gap = &messages.HistoryGap{From: after + 1, Reason: err.Error()}
	for next := s.nextReadable(e, after); next > 0; next = s.nextReadable(e, next) {
		if events, err = s.events(e, next-1, maxEvents, maxBytes); err == nil {
			gap.To = next - 1
			return events, gap, nil
		}
	}
	return nil, gap, nil
}

// nextReadable returns the number of the first event behind a number in a chunk that
// can be read; 0 if there is none. The caller is reading.
func (s *Store) nextReadable(e *entry, after messages.Seq) (next messages.Seq) {
	find := func(v memtable.View) error {
		return v.From(record.BucketEvents, record.PairKey(e.number, min(uint64(after), math.MaxUint64-1)+1), func(key, value []byte) (bool, error) {
			number, _ := record.NumberOf(key)
			last, ok := record.SecondOf(key)
			if !ok || number != e.number {
				return false, nil
			}
			body, err := v.Body(key, value)
			if err != nil {
				return true, nil //nolint:nilerr // it is part of the gap
			}
			events, err := record.DecodeChunk(body)
			if err != nil || uint64(len(events)) > last {
				return true, nil //nolint:nilerr // as above
			}
			next = max(messages.Seq(last)-messages.Seq(len(events))+1, after+1)
			return false, nil
		})
	}
	for _, sealed := range s.manifest.Sealed {
		f, err := s.openSealed(fault.OpEvents, sealed.Name)
		if err != nil {
			continue
		}
		c, err := f.CursorOf(fault.OpEvents, e.number)
		if err != nil || c == nil || messages.Seq(c.GetHead()) <= after {
			continue
		}
		if err := f.Look(fault.OpEvents, find); err == nil && next > 0 {
			return next
		}
	}
	if err := s.look(fault.OpEvents, find); err != nil && !errors.Is(err, errDropped) {
		return 0
	}
	return next
}
