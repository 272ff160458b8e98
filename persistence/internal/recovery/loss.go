package recovery

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"betcode/messages"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/memtable"
	"betcode/persistence/internal/record"
	"betcode/persistence/internal/wal"
	storev1 "betcode/proto/betcode/store/v1"
)

// Loss is the lost part of a journal.
type Loss struct {
	Sessions []LostHistory
	// Unread is how many bytes of the missing groups belong to rows that cannot
	// be read. If it is 0, Sessions is complete; otherwise a session of which nothing
	// was written later may have lost its newest events without being listed.
	Unread int64

	Needed bool // the loss keeps the journal from being opened
}

// LostHistory is the loss of one session. The session is damaged from then on: it can be
// exported and deleted.
type LostHistory struct {
	Session messages.SessionID // empty = its id is lost as well
	Number  uint64             // the session's number in the journal
	// Ranges are the lost events, inclusive. None: no number is known to be
	// missing, but the newest state of the session is lost.
	Ranges []LostRange
	// After and Before are the times of the session's last change before the loss and with
	// it, as far as they are known; zero = unknown.
	After, Before time.Time
}

// LostRange is a range of lost events, both ends included.
type LostRange struct{ From, To messages.Seq }

// String describes the loss in one line.
func (l LostHistory) String() string {
	who := string(l.Session)
	if who == "" {
		who = fmt.Sprintf("a session without an id (number %d)", l.Number)
	}
	what := "its newest state"
	if len(l.Ranges) > 0 {
		parts := make([]string, len(l.Ranges))
		for i, r := range l.Ranges {
			parts[i] = fmt.Sprintf("%d-%d", r.From, r.To)
		}
		what = "events " + strings.Join(parts, ", ")
	}
	when := ""
	if !l.After.IsZero() {
		when += ", written after " + l.After.UTC().Format(time.RFC3339)
	}
	if !l.Before.IsZero() {
		when += ", not after " + l.Before.UTC().Format(time.RFC3339)
	}
	return who + ": " + what + when
}

// salvage has the known facts about missing groups.
type salvage struct {
	sessions map[uint64]bool   // with rows in these groups
	heads    map[uint64]uint64 // the greatest number of an event in these rows
	changed  map[uint64]time.Time
	unread   int64
	needed   bool // the journal cannot be opened without a repair
}

func newSalvage() *salvage {
	return &salvage{sessions: map[uint64]bool{}, heads: map[uint64]uint64{}, changed: map[uint64]time.Time{}}
}

// skip leaves out missing groups. Rows of them that can be read identify their sessions;
// events and identities among them are kept.
func (r *Recovered) skip(m wal.Missing) {
	name := cmp.Or(m.File, "the logs")
	r.find(name, m.Gap.From, m.String(), "left out")
	r.salvage.needed = true
	if r.Why == nil {
		r.Why = fmt.Errorf("%s: %s; it was repaired without them", name, m)
	}
	r.salvageRows(m.Gap.Data)
	if m.File == "" {
		r.salvage.unread++ // the amount is unknown
	}
}

// salvageRows handles the rows that can be read in a damaged part of a log.
func (r *Recovered) salvageRows(data []byte) {
	rows, explained := scanRows(data)
	r.salvage.unread += int64(len(data) - explained)
	for _, c := range rows {
		if string(record.Buckets[c.Bucket]) == string(record.BucketIDs) {
			r.salvageIdentity(c)
			continue
		}
		if number, ok := record.NumberOf(c.Key); ok {
			r.salvageRow(number, c)
		}
	}
}

func (r *Recovered) salvageIdentity(c *record.Row) {
	var i storev1.Identity
	if record.Decode(fault.OpRepair, record.BucketIDs, c.Key, c.Value, &i) != nil {
		return
	}
	r.Rows.Put(c)
	r.Number = max(r.Number, i.GetNumber())
	if i.GetDeleted() == nil {
		r.salvage.sessions[i.GetNumber()] = true
	}
}

func (r *Recovered) salvageRow(number uint64, c *record.Row) {
	s := r.salvage
	s.sessions[number] = true
	r.Number = max(r.Number, number)
	switch {
	case c.Bucket == record.CodeEvents:
		r.Rows.Put(c)
		if last, ok := record.SecondOf(c.Key); ok {
			s.heads[number] = max(s.heads[number], last)
		}
	case slices.Equal(c.Key, record.RowKey(number, record.RowCursor)):
		var cursor storev1.Cursor
		if record.Decode(fault.OpRepair, record.BucketSessions, c.Key, c.Value, &cursor) == nil {
			s.heads[number] = max(s.heads[number], cursor.GetHead())
		}
	case slices.Equal(c.Key, record.RowKey(number, record.RowSession)):
		var session storev1.Session
		if record.Decode(fault.OpRepair, record.BucketSessions, c.Key, c.Value, &session) == nil {
			s.changed[number] = record.LoadTime(session.GetUpdatedAt())
		}
	}
}

// Account returns the loss with the missing groups: of sessions whose rows
// were found in them, and of sessions whose numbers have a gap that nothing else
// explains. These sessions are damaged from now on.
func (r *Recovered) Account(v memtable.View) *Loss {
	l := &Loss{Unread: r.salvage.unread, Needed: r.salvage.needed}
	if r.Why == nil {
		return l
	}
	ids := map[uint64]string{}
	_ = v.All(record.BucketIDs, func(key, value []byte) error { // their damage is already known
		var i storev1.Identity
		if record.Decode(fault.OpRepair, record.BucketIDs, key, value, &i) == nil && i.GetDeleted() == nil {
			ids[i.GetNumber()] = string(key)
			r.Number = max(r.Number, i.GetNumber())
		} else {
			delete(r.salvage.sessions, i.GetNumber())
		}
		return nil
	})
	suspects := map[uint64]bool{}
	_ = (memtable.View{Over: v.Over}).All(record.BucketSessions, func(key, _ []byte) error {
		if number, ok := record.NumberOf(key); ok {
			suspects[number] = true
		}
		return nil
	})
	for number := range r.salvage.sessions {
		suspects[number] = true
	}
	for number, o := range r.lost {
		suspects[number] = true
		if ids[number] == "" {
			ids[number] = o.ID
		}
	}
	for number := range suspects {
		r.Number = max(r.Number, number)
		lost := r.lostOf(v, number)
		_, damaged := r.lost[number]
		if !r.salvage.sessions[number] && len(lost.Ranges) == 0 && !damaged {
			continue
		}
		lost.Session = messages.SessionID(ids[number])
		l.Sessions = append(l.Sessions, lost)
		if !damaged {
			r.lost[number] = wal.Owner{Number: number, ID: ids[number]}
		}
	}
	slices.SortFunc(l.Sessions, func(a, b LostHistory) int { return cmp.Compare(a.Number, b.Number) })
	return l
}

// lostOf compares a session's rows in the file and the logs with the numbers in
// them.
func (r *Recovered) lostOf(v memtable.View, number uint64) LostHistory {
	l := LostHistory{Number: number, Before: r.salvage.changed[number]}
	file := memtable.View{File: v.File}
	l.After = changedAt(file, number)
	if newer := changedAt(v, number); newer.After(l.After) && (l.Before.IsZero() || newer.Before(l.Before)) {
		l.Before = newer
	}
	have := headOf(file, number)
	head := max(headOf(v, number), r.salvage.heads[number])
	_ = (memtable.View{Over: v.Over, Payloads: v.Payloads}).Each(record.BucketEvents, record.PrefixOf(number), func(key, value []byte) error {
		last, ok := record.SecondOf(key)
		body, err := v.Body(key, value)
		if err != nil || !ok {
			return nil //nolint:nilerr // it counts as lost
		}
		events, err := record.DecodeChunk(body)
		if err != nil || uint64(len(events)) > last {
			return nil //nolint:nilerr // as above
		}
		if first := last - uint64(len(events)) + 1; first > have+1 {
			l.Ranges = append(l.Ranges, LostRange{messages.Seq(have) + 1, messages.Seq(first) - 1})
		}
		have = max(have, last)
		return nil
	})
	if head > have {
		l.Ranges = append(l.Ranges, LostRange{messages.Seq(have) + 1, messages.Seq(head)})
	}
	return l
}

// headOf returns the number of a session's last event, 0 if it is not known.
func headOf(v memtable.View, number uint64) uint64 {
	var cursor storev1.Cursor
	key := record.RowKey(number, record.RowCursor)
	if value := v.Get(record.BucketSessions, key); value == nil || record.Decode(fault.OpRepair, record.BucketSessions, key, value, &cursor) != nil {
		return 0
	}
	return cursor.GetHead()
}

// changedAt returns when a session was last changed, zero if it is not known.
func changedAt(v memtable.View, number uint64) time.Time {
	var session storev1.Session
	key := record.RowKey(number, record.RowSession)
	if value := v.Get(record.BucketSessions, key); value == nil || record.Decode(fault.OpRepair, record.BucketSessions, key, value, &session) != nil {
		return time.Time{}
	}
	return record.LoadTime(session.GetUpdatedAt())
}
