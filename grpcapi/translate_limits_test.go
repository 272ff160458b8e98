package grpcapi

import (
	"testing"
	"time"

	"betcode/messages"
)

func TestLimitsOut(t *testing.T) {
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	limited := func(d time.Duration) messages.SessionRecord {
		return messages.SessionRecord{RateLimit: messages.RateLimit{Since: now, Until: now.Add(d)}}
	}
	unknown := messages.SessionRecord{RateLimit: messages.RateLimit{Since: now}}
	for name, test := range map[string]struct {
		sessions []messages.SessionRecord
		limited  uint32
		until    time.Time
	}{
		"none":             {[]messages.SessionRecord{{}}, 0, time.Time{}},
		"the last end":     {[]messages.SessionRecord{limited(time.Hour), {}, limited(time.Minute), unknown}, 3, now.Add(time.Hour)},
		"nobody knows it":  {[]messages.SessionRecord{unknown}, 1, time.Time{}},
		"one that is over": {[]messages.SessionRecord{limited(-time.Second)}, 0, time.Time{}},
	} {
		n, until := limitsOut(test.sessions, messages.SlotQueue{}, now)
		if n != test.limited || (until == nil) != test.until.IsZero() || until != nil && !until.AsTime().Equal(test.until) {
			t.Errorf("%s: %d until %v", name, n, until)
		}
	}
	if s := summaryOut(limited(time.Hour), now); !s.GetRateLimited() || s.GetRateLimitedUntil() == nil {
		t.Errorf("%v", s)
	}
}

// TestLimitsOfTheFleet: a session that waits for the end of an account's limit is limited, whoever has hit it.
func TestLimitsOfTheFleet(t *testing.T) {
	now := time.Date(2026, 11, 23, 8, 0, 0, 0, time.UTC)
	q := messages.SlotQueue{
		Waiting: []messages.SlotWaiter{{Session: "a", Reason: messages.SlotRateLimited, Until: now.Add(time.Hour)}, {Session: "b", Reason: messages.SlotBusy}},
		Limits:  []messages.FleetLimit{{Session: "c", Until: now.Add(time.Hour)}},
	}
	list := listOut(messages.SessionList{Sessions: []messages.SessionRecord{{ID: "a"}, {ID: "b"}}, Slots: q}, now)
	a, b := list.GetSessions()[0], list.GetSessions()[1]
	if !a.GetRateLimited() || !a.GetRateLimitedUntil().AsTime().Equal(now.Add(time.Hour)) || a.GetSlotReason() != "rate_limit" {
		t.Errorf("%v", a)
	}
	if b.GetRateLimited() || b.GetSlotReason() != "busy" || b.GetSlotPlace() != 2 {
		t.Errorf("%v", b)
	}
	if n, until := limitsOut([]messages.SessionRecord{{ID: "a"}, {ID: "b"}}, q, now); n != 1 || !until.AsTime().Equal(now.Add(time.Hour)) {
		t.Errorf("%d until %v", n, until)
	}
	f := fleetOut(messages.FleetView{Slots: q})
	if len(f.GetLimits()) != 1 || len(f.GetWaiting()) != 2 || f.GetWaitingTotal() != 2 || !f.GetRateLimitedUntil().AsTime().Equal(now.Add(time.Hour)) {
		t.Errorf("%v", f)
	}
}
