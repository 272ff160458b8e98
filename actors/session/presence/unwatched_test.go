package presence

import (
	"testing"

	"betcode/messages"
)

func TestUnwatched(t *testing.T) {
	var u Unwatched
	waiting := []messages.RequestID{"1", "2"}
	if u.Begin(nil) || !u.Begin(waiting) || u.Begin(waiting) {
		t.Errorf("the grace: %+v", u)
	}
	u.Over()
	before := u
	if !u.Notify("1") || u.Notify("1") || !u.Begin(waiting) {
		t.Errorf("one is told: %+v", u)
	}
	if !before.Notify("1") {
		t.Error("a copy was changed")
	}
	u.Over()
	if !u.Notify("2") || u.Begin(waiting) {
		t.Errorf("all are told: %+v", u)
	}
	if u.Watched(); !u.Begin(waiting) || !u.Notify("1") {
		t.Errorf("a client has watched: %+v", u)
	}
}
