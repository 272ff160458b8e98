package persistence

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"betcode/messages"
	storev1 "betcode/proto/betcode/store/v1"
)

// Loss is what a journal cannot give any more.
type Loss struct {
	Sessions []LostHistory
	// Unread is how many bytes of the groups that are missing belong to rows that cannot
	// be read. If it is 0, Sessions is complete; otherwise a session of which nothing
	// was written later may have lost its newest events without being named.
	Unread int64

	needed bool // something keeps the journal from being opened
}

// LostHistory is what one session lost. The session is damaged from then on: it can be
// exported and deleted.
type LostHistory struct {
	Session messages.SessionID // empty = its id is lost as well
	Number  uint64             // the session's number in the journal
	// Ranges are the events that are lost, inclusive. None: no number is known to be
	// missing, but the newest state of the session is lost.
	Ranges []LostRange
	// After and Before are when the session was last changed before the loss and with
	// it, as far as that is known; zero = it is not.
	After, Before time.Time
}

// LostRange is events that are lost, both ends included.
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

// salvage is what can be told of groups that are missing.
type salvage struct {
	sessions map[uint64]bool   // with rows in them
	heads    map[uint64]uint64 // the greatest number of an event that they speak of
	changed  map[uint64]time.Time
	unread   int64
	needed   bool // the journal is not opened without a repair
}

func newSalvage() *salvage {
	return &salvage{sessions: map[uint64]bool{}, heads: map[uint64]uint64{}, changed: map[uint64]time.Time{}}
}

// skip leaves out groups that are missing. Rows that can be read of them say whose they
// were; events and identities among them are kept.
func (r *replayed) skip(m missingGroups) {
	name := cmp.Or(m.file, "the logs")
	r.find(name, m.gap.from, m.String(), "left out")
	r.salvage.needed = true
	if r.why == nil {
		r.why = fmt.Errorf("%s: %s; it was repaired without them", name, m)
	}
	r.salvageRows(m.gap.data)
	if m.file == "" {
		r.salvage.unread++ // how much it was is not known
	}
}

// salvageRows takes what can be told of rows in a part of a log that is damaged.
func (r *replayed) salvageRows(data []byte) {
	rows, explained := scanRows(data)
	r.salvage.unread += int64(len(data) - explained)
	for _, c := range rows {
		if string(buckets[c.bucket]) == string(bucketIDs) {
			r.salvageIdentity(c)
			continue
		}
		if number, ok := numberOf(c.key); ok {
			r.salvageRow(number, c)
		}
	}
}

func (r *replayed) salvageIdentity(c *cell) {
	var i storev1.Identity
	if decode(opRepair, bucketIDs, c.key, c.value, &i) != nil {
		return
	}
	r.rows.put(c)
	r.number = max(r.number, i.GetNumber())
	if i.GetDeleted() == nil {
		r.salvage.sessions[i.GetNumber()] = true
	}
}

func (r *replayed) salvageRow(number uint64, c *cell) {
	s := r.salvage
	s.sessions[number] = true
	r.number = max(r.number, number)
	switch {
	case c.bucket == codeEvents:
		r.rows.put(c)
		if last, ok := secondOf(c.key); ok {
			s.heads[number] = max(s.heads[number], last)
		}
	case slices.Equal(c.key, rowKey(number, rowCursor)):
		var cursor storev1.Cursor
		if decode(opRepair, bucketSessions, c.key, c.value, &cursor) == nil {
			s.heads[number] = max(s.heads[number], cursor.GetHead())
		}
	case slices.Equal(c.key, rowKey(number, rowSession)):
		var record storev1.Session
		if decode(opRepair, bucketSessions, c.key, c.value, &record) == nil {
			s.changed[number] = loadTime(record.GetUpdatedAt())
		}
	}
}

// account says what is lost with the groups that are missing: whose rows were found in
// them, and whose numbers have a gap that nothing else explains. These sessions are
// damaged from now on.
func (r *replayed) account(v view) *Loss {
	l := &Loss{Unread: r.salvage.unread, needed: r.salvage.needed}
	if r.why == nil {
		return l
	}
	ids := map[uint64]string{}
	_ = v.all(bucketIDs, func(key, value []byte) error { // damage of them is known already
		var i storev1.Identity
		if decode(opRepair, bucketIDs, key, value, &i) == nil && i.GetDeleted() == nil {
			ids[i.GetNumber()] = string(key)
			r.number = max(r.number, i.GetNumber())
		} else {
			delete(r.salvage.sessions, i.GetNumber())
		}
		return nil
	})
	suspects := map[uint64]bool{}
	_ = (view{over: v.over}).all(bucketSessions, func(key, _ []byte) error {
		if number, ok := numberOf(key); ok {
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
			ids[number] = o.id
		}
	}
	for number := range suspects {
		r.number = max(r.number, number)
		lost := r.lostOf(v, number)
		_, damaged := r.lost[number]
		if !r.salvage.sessions[number] && len(lost.Ranges) == 0 && !damaged {
			continue
		}
		lost.Session = messages.SessionID(ids[number])
		l.Sessions = append(l.Sessions, lost)
		if !damaged {
			r.lost[number] = owner{number: number, id: ids[number]}
		}
	}
	slices.SortFunc(l.Sessions, func(a, b LostHistory) int { return cmp.Compare(a.Number, b.Number) })
	return l
}

// lostOf compares what the file and the logs have of a session with the numbers that
// they speak of.
func (r *replayed) lostOf(v view, number uint64) LostHistory {
	l := LostHistory{Number: number, Before: r.salvage.changed[number]}
	file := view{tx: v.tx}
	l.After = file.changed(number)
	if newer := v.changed(number); newer.After(l.After) && (l.Before.IsZero() || newer.Before(l.Before)) {
		l.Before = newer
	}
	have := file.head(number)
	head := max(v.head(number), r.salvage.heads[number])
	_ = (view{over: v.over, blobs: v.blobs}).each(bucketEvents, prefixOf(number), func(key, value []byte) error {
		last, ok := secondOf(key)
		body, err := v.body(key, value)
		if err != nil || !ok {
			return nil //nolint:nilerr // it counts as lost
		}
		events, err := decodeChunk(body)
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

// head returns the number of a session's last event, 0 if it is not known.
func (v view) head(number uint64) uint64 {
	var cursor storev1.Cursor
	key := rowKey(number, rowCursor)
	if value := v.get(bucketSessions, key); value == nil || decode(opRepair, bucketSessions, key, value, &cursor) != nil {
		return 0
	}
	return cursor.GetHead()
}

// changed returns when a session was last changed, zero if it is not known.
func (v view) changed(number uint64) time.Time {
	var record storev1.Session
	key := rowKey(number, rowSession)
	if value := v.get(bucketSessions, key); value == nil || decode(opRepair, bucketSessions, key, value, &record) != nil {
		return time.Time{}
	}
	return loadTime(record.GetUpdatedAt())
}
