package persistence

import (
	"slices"
	"testing"
	"time"

	"betcode/messages"
)

// A list leaves out records that the caller knows in their present revision, and no other: a change of a record gives it another
// revision, also one that changes nothing that lists are ordered by, and revisions of before a journal was opened again are not
// used again.
func TestKnownRecords(t *testing.T) {
	f := newFixture(t)
	named(f, "a", "b", "c", "d")
	known := map[messages.SessionID]messages.Revision{}
	// list returns the ids of what is read; the places of what is left out are those of the known sessions.
	list := func(limit, offset int) (read []messages.SessionID, places []int) {
		t.Helper()
		page, err := f.store.Conversations("", "", limit, offset, func(id messages.SessionID, r messages.Revision) bool { return r != 0 && known[id] == r })
		if err != nil || page.Total != 4 || len(page.Revisions) != len(page.Sessions) {
			t.Fatalf("%+v, %v", page, err)
		}
		for i, r := range page.Sessions {
			known[r.ID] = page.Revisions[i]
			read = append(read, r.ID)
		}
		return read, page.Known
	}
	expect := func(what string, read []messages.SessionID, places []int, wantRead []messages.SessionID, wantPlaces []int) {
		t.Helper()
		if !slices.Equal(read, wantRead) || !slices.Equal(places, wantPlaces) {
			t.Errorf("%s: read %v, left out places %v; want %v and %v", what, read, places, wantRead, wantPlaces)
		}
	}
	read, places := list(0, 0)
	expect("first", read, places, []messages.SessionID{sid(4), sid(3), sid(2), sid(1)}, nil)
	read, places = list(0, 0)
	expect("again", read, places, nil, []int{0, 1, 2, 3})

	change := begin(sid(3), 2)
	change.Expect, change.Events, change.Commit = 2, nil, 9
	change.Record.Name, change.Record.UpdatedAt = "c", epoch.Add(2*time.Minute)
	change.Record.Preview = "something else"
	f.commit(change)
	read, places = list(0, 0)
	expect("after a change that keeps its place", read, places, []messages.SessionID{sid(3)}, []int{0, 2, 3})

	delete(known, sid(2))
	read, places = list(2, 1)
	expect("a page", read, places, []messages.SessionID{sid(2)}, []int{0})

	f.reopen()
	read, places = list(0, 0)
	expect("after it was opened again", read, places, []messages.SessionID{sid(4), sid(3), sid(2), sid(1)}, nil)
}
