package actors

import (
	"testing"

	"betcode/messages"
)

// Spending of deleted subagents counts with that of the others, so that later consumption is not hidden behind it.
func TestSpentBelowCountsDeletedSubagents(t *testing.T) {
	store := newMemoryStore()
	commit := func(id, parent messages.SessionID, micros uint64, remove bool) {
		t.Helper()
		r := messages.SessionRecord{ID: id, Budget: messages.Budget{Spent: messages.Spent{Micros: micros}}}
		if parent != "" {
			r.Subagent = &messages.SubagentRecord{Parent: parent}
		}
		appends := []messages.Append{{Session: id, Record: &r}}
		if remove {
			appends = append(appends, messages.Append{Session: id, Record: &r, Delete: true})
		}
		for _, err := range store.Commit(appends) {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	commit("top", "", 1, false)
	commit("gone", "top", 10, true)
	commit("deeper", "gone", 100, false)
	commit("lives", "top", 1000, false)
	commit("other", "", 10_000, true)
	s := &System{options: Options{Store: store}}
	below, err := s.spentBelow("top")
	if err != nil || len(below) != 2 || below["gone"].Micros != 110 || below["lives"].Micros != 1000 {
		t.Errorf("%+v, %v", below, err)
	}
	if below, err := s.spentBelow("lives"); err != nil || below != nil {
		t.Errorf("%+v, %v", below, err)
	}
}
