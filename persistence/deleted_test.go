package persistence

import (
	"slices"
	"testing"
	"time"

	"betcode/messages"
)

// The consumption of a deleted session stays recorded, that of a subagent as long as its parent session exists.
func TestDeletedSessionsLeaveTheirConsumption(t *testing.T) {
	f := newFixture(t)
	spent := messages.Budget{Spent: messages.Spent{Micros: 7, Turns: 1}, Day: "2026-11-20", DayRaised: messages.BudgetLimit{Micros: 9}}
	commit := func(n int, parent messages.SessionID, b messages.Budget) *messages.SessionRecord {
		t.Helper()
		r := summary(sid(n), epoch)
		r.Budget = b
		if parent != "" {
			r.Subagent = &messages.SubagentRecord{Parent: parent, Status: messages.SubagentCompleted}
		}
		f.commit(messages.Append{Session: sid(n), Events: events(0, 1), Record: r})
		return r
	}
	commit(1, "", messages.Budget{})
	for _, r := range []*messages.SessionRecord{
		commit(2, sid(1), messages.Budget{}), commit(3, sid(2), spent), commit(4, "", spent), commit(5, "", messages.Budget{}),
	} {
		f.commit(messages.Append{Session: r.ID, Delete: true, Record: r})
	}
	below, deeper, own := messages.DeletedSession{ID: sid(2), Parent: sid(1)}, messages.DeletedSession{ID: sid(3), Parent: sid(2), Budget: spent},
		messages.DeletedSession{ID: sid(4), Budget: spent}
	check := func(when string, want ...messages.DeletedSession) {
		t.Helper()
		for range 2 {
			got := f.store.Deleted()
			slices.SortFunc(got, func(a, b messages.DeletedSession) int { return slices.Compare([]byte(a.ID), []byte(b.ID)) })
			same(t, when, got, want)
			f.reopen()
		}
	}
	check("at once", below, deeper, own)
	f.clock = f.clock.Add(tombstoneAge + time.Hour)
	f.seal()
	check("after a month", below, deeper)
	f.commit(messages.Append{Session: sid(1), Delete: true})
	f.clock = f.clock.Add(tombstoneAge + time.Hour)
	for range 3 { // a generation each
		f.seal()
	}
	check("a month after the session above was deleted")
}
