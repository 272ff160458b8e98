package fleet

import (
	"testing"
	"time"

	"betcode/grpcapi/translate"
	"betcode/messages"
)

// TestLimitsOfTheFleet: a session that waits until its account's rate limit ends is shown as rate limited, also when another
// session has reached the limit.
func TestLimitsOfTheFleet(t *testing.T) {
	now := time.Date(2026, 11, 23, 8, 0, 0, 0, time.UTC)
	q := messages.SlotQueue{
		Waiting: []messages.SlotWaiter{{Session: "a", Reason: messages.SlotRateLimited, Until: now.Add(time.Hour)}, {Session: "b", Reason: messages.SlotBusy}},
		Limits:  []messages.FleetLimit{{Session: "c", Until: now.Add(time.Hour)}},
	}
	a, b := translate.SummaryOut(&messages.SessionRecord{ID: "a"}, now), translate.SummaryOut(&messages.SessionRecord{ID: "b"}, now)
	translate.NoteSlot(a, q)
	translate.NoteSlot(b, q)
	if !a.GetRateLimited() || !a.GetRateLimitedUntil().AsTime().Equal(now.Add(time.Hour)) || a.GetSlotReason() != "rate_limit" {
		t.Errorf("%v", a)
	}
	if b.GetRateLimited() || b.GetSlotReason() != "busy" || b.GetSlotPlace() != 2 {
		t.Errorf("%v", b)
	}
	if n, until := translate.LimitsOut([]messages.SessionRecord{{ID: "a"}, {ID: "b"}}, q, now); n != 1 || !until.AsTime().Equal(now.Add(time.Hour)) {
		t.Errorf("%d until %v", n, until)
	}
	f := fleetOut(messages.FleetView{Slots: q})
	if len(f.GetLimits()) != 1 || len(f.GetWaiting()) != 2 || f.GetWaitingTotal() != 2 || !f.GetRateLimitedUntil().AsTime().Equal(now.Add(time.Hour)) {
		t.Errorf("%v", f)
	}
}
