package listing

import (
	"fmt"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"betcode/grpcapi/translate"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

var now = time.Date(2026, 11, 27, 10, 0, 0, 0, time.UTC)

// store lists records as the journal does, and counts those that it has read.
type store struct {
	records   []messages.SessionRecord
	revisions []messages.Revision
	read      int
}

func (s *store) list(known func(messages.SessionID, messages.Revision) bool) messages.SessionList {
	list := messages.SessionList{Total: len(s.records)}
	s.read = 0
	for i, r := range s.records {
		if known(r.ID, s.revisions[i]) {
			list.Known = append(list.Known, i)
			continue
		}
		list.Sessions, list.Revisions = append(list.Sessions, r), append(list.Revisions, s.revisions[i])
		s.read++
	}
	return list
}

// sent returns a list as a client gets it.
func sent(t *testing.T, c *Cache, s *store, slots messages.SlotQueue, pending []messages.PermissionRecord, now time.Time) *pb.ListSessionsResponse {
	t.Helper()
	page := c.Page()
	list := s.list(page.Known)
	list.Slots = slots
	out, err := page.Encode(list, pending, now)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := proto.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	got := &pb.ListSessionsResponse{}
	if err := proto.Unmarshal(raw, got); err != nil {
		t.Fatal(err)
	}
	return got
}

// A list has the same sessions whether the cache has their summaries or not: after a change of a record, with a request that waits,
// in the queue for agents, and while time passes.
func TestListIsThatOfTheRecords(t *testing.T) {
	s := &store{}
	for i := range 6 {
		s.records = append(s.records, messages.SessionRecord{ID: messages.SessionID(fmt.Sprint("s", i)), Preview: fmt.Sprint("text ", i), UpdatedAt: now})
		s.revisions = append(s.revisions, messages.Revision(i+1))
	}
	s.records[4].Budget.WorkingSince = now.Add(-time.Minute)
	s.records[5].RateLimit = messages.RateLimit{Since: now, Until: now.Add(time.Minute)}
	asks := []messages.PermissionRecord{{Session: "s1", Tool: "Bash", Input: []byte(`{"command":"ls"}`)}}
	queue := messages.SlotQueue{Waiting: []messages.SlotWaiter{{Session: "s2", Reason: messages.SlotBusy}}}

	var c Cache
	for round, test := range []struct {
		what    string
		change  func()
		pending []messages.PermissionRecord
		slots   messages.SlotQueue
		at      time.Time
		read    int
	}{
		{what: "an empty cache", at: now, read: 6},
		{what: "all are known", at: now, read: 2},
		{what: "a request waits", at: now, pending: asks, read: 2},
		{what: "it is decided", at: now, read: 2},
		{what: "one waits for an agent", at: now, slots: queue, read: 2},
		{what: "a record is another", at: now, change: func() { s.records[3].Preview, s.revisions[3] = "other", 9 }, read: 3},
		{what: "limits end", at: now.Add(time.Hour), read: 2},
		{what: "one has gone and one is new", at: now, change: func() {
			s.records = append(s.records[1:], messages.SessionRecord{ID: "new"})
			s.revisions = append(s.revisions[1:], 10)
		}, read: 3},
	} {
		if test.change != nil {
			test.change()
		}
		got := sent(t, &c, s, test.slots, test.pending, test.at)
		want := &pb.ListSessionsResponse{Total: uint32(len(s.records))} //nolint:gosec // there are few
		for i := range s.records {
			summary := translate.SummaryOut(&s.records[i], test.at)
			translate.NoteSlot(summary, test.slots)
			translate.NoteAsks(summary, test.pending)
			want.Sessions = append(want.Sessions, summary)
		}
		if !proto.Equal(got, want) {
			t.Errorf("round %d, %s: got\n%v\nwant\n%v", round, test.what, got, want)
		}
		if s.read != test.read {
			t.Errorf("round %d, %s: %d records were read, want %d", round, test.what, s.read, test.read)
		}
	}
}

// The limits of sessions are the same whether the cache has them or not, and the sessions are cached afterwards.
func TestLimitsOfKnownSessions(t *testing.T) {
	s := &store{
		records:   []messages.SessionRecord{{ID: "a"}, {ID: "b"}, {ID: "c", RateLimit: messages.RateLimit{Since: now, Until: now.Add(time.Minute)}}},
		revisions: []messages.Revision{1, 2, 3},
	}
	slots := messages.SlotQueue{Waiting: []messages.SlotWaiter{{Session: "a", Reason: messages.SlotRateLimited}, {Session: "b", Reason: messages.SlotBusy}}}
	var c Cache
	for round, read := range []int{3, 1} {
		page := c.Page()
		list := s.list(page.Known)
		list.Slots = slots
		n, until, err := page.Limits(list, now)
		if err != nil || n != 2 || !until.AsTime().Equal(now.Add(time.Minute)) || s.read != read {
			t.Errorf("round %d: %d until %v, %v, %d records were read", round, n, until, err, s.read)
		}
	}
}

// A full cache is cleared, and never exceeds its bound.
func TestCacheIsBounded(t *testing.T) {
	var c Cache
	large := make([]byte, 1<<20)
	for i := range 40 {
		id, revision := messages.SessionID(fmt.Sprint(i)), messages.Revision(2*i)
		c.put(id, revision, large)
		c.put(id, revision+1, large)
		if c.bytes > maxBytes || c.bytes != len(c.kept)*(len(large)+overhead) || len(c.kept) != len(c.newest) {
			t.Fatalf("%d bytes of %d entries", c.bytes, len(c.kept))
		}
	}
	if c.get(79) == nil || c.get(78) != nil || c.get(1) != nil {
		t.Error("it has others than the newest")
	}
}
