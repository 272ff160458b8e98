package upkeep

import (
	"cmp"

	"betcode/messages"
	"betcode/persistence/internal/record"
	storev1 "betcode/proto/betcode/store/v1"
)

// The histories of the sessions in one file: their chunks, the hashes that link these, and where they begin and end.

// span is the events of one session in one file.
type span struct {
	first, last uint64
	holes       bool
	chain       record.Link // of the newest chunk
	broken      bool        // a link did not match, and was reported
}

// chunk takes a chunk of events into the span of its session.
func (c *fileCheck) chunk(key, value []byte) {
	number, _ := record.NumberOf(key)
	last, ok := record.SecondOf(key)
	if _, known := c.ids[number]; !ok || !known {
		c.problem(record.BucketEvents, key, "it is of no session")
		return
	}
	s := c.spans[number]
	if s == nil {
		s = &span{}
		c.spans[number] = s
	}
	body, err := c.body(record.BucketEvents, key, value)
	var events [][]byte
	if err == nil {
		events, err = record.DecodeChunk(body)
	}
	if err != nil {
		c.problem(record.BucketEvents, key, "%w", err)
		s.last, s.holes, s.broken = last, true, true
		return
	}
	n := uint64(len(events))
	first := last - n + 1
	switch {
	case n > last:
		c.problem(record.BucketEvents, key, "%d events end in number %d", n, last)
		s.holes = true
	case s.last > 0 && first != s.last+1 && !s.holes:
		c.problem(record.BucketEvents, key, "it begins with event %d; the one before ended with %d", first, s.last)
		s.holes = true
	case s.last == 0:
		s.first = first
	}
	c.link(s, number, key, body, events)
	s.last = last
	c.report.Events += int64(n)
}

// link follows a session's hash chain over one chunk. A link must follow from the previous
// one, or begin a chain. After a link that does not, the following ones are compared
// with the stored one: one change is one problem.
func (c *fileCheck) link(s *span, number uint64, key, body []byte, events [][]byte) {
	stored, l, byEvent := record.Unchain(body)
	last, _ := record.SecondOf(key)
	follow := func(before record.Link) record.Link {
		if !byEvent {
			return before.AfterChunk(key, stored)
		}
		for i, event := range events {
			before = before.After(number, messages.Seq(last)-messages.Seq(len(events)-1-i), event)
		}
		return before
	}
	before, known := s.chain, true
	if s.last == 0 {
		cursor := c.cursors[number]
		known = cursor != nil // a deleted session has none
		before = record.BeginsWith(cursor)
	}
	s.chain = l
	if l == (record.Link{}) {
		return
	}
	c.report.Chained += int64(len(events))
	if known && !s.broken && l != follow(before) && l != follow(record.Link{}) {
		c.problem(record.BucketEvents, key, "its hash does not follow from what is before it: a chunk was changed, removed or moved")
	}
	s.broken = false
}

// history checks that the events of a session go from base to head, and that
// the previous file ended where this one begins.
func (c *fileCheck) history(key []byte, number uint64, cursor *storev1.Cursor, before *fileCheck) {
	base, head, from := cursor.GetBase(), cursor.GetHead(), record.Begins(cursor)
	s := cmp.Or(c.spans[number], &span{first: from + 1, last: from})
	if (s.first != from+1 || s.last != head) && !s.holes {
		c.problem(record.BucketSessions, key, "events %d to %d are there, %d to %d should be", s.first, s.last, from+1, head)
	}
	chain, baseChain := record.LoadLink(cursor.GetChain()), record.LoadLink(cursor.GetBaseChain())
	if s.last == from {
		s.chain = record.BeginsWith(cursor)
	}
	if chain != (record.Link{}) && chain != s.chain && !s.broken {
		c.problem(record.BucketSessions, key, "the hash of the history up to event %d is another: its newest chunks were changed or removed", head)
	}
	if before == nil {
		return
	}
	end := uint64(0)
	if old := before.cursors[number]; old != nil {
		end = old.GetHead()
		if ended := record.LoadLink(old.GetChain()); end == base && ended != (record.Link{}) && baseChain != (record.Link{}) && ended != baseChain {
			c.problem(record.BucketSessions, key, "the hash of the history up to event %d is not the one the file before ended with", base)
		}
	} else if i, known := before.ids[number]; known && !i.deleted {
		return // its cursor is damaged, and reported
	}
	if end != base {
		c.problem(record.BucketSessions, key, "history begins after event %d, the file before ended with %d", base, end)
	}
}
