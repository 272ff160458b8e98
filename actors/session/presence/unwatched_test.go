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
	if !u.Tell("1") || u.Tell("1") || !u.Begin(waiting) {
		t.Errorf("one is told: %+v", u)
	}
	if !before.Tell("1") {
		t.Error("a copy was changed")
	}
	u.Over()
	if !u.Tell("2") || u.Begin(waiting) {
		t.Errorf("all are told: %+v", u)
	}
	if u.Watched(); !u.Begin(waiting) || !u.Tell("1") {
		t.Errorf("a client has watched: %+v", u)
	}
}
