package persistence

import (
	"testing"

	"betcode/messages"
)

// TestTry: trying to write changes nothing that can be read, beside commits and
// checkpoints, and a journal that is closed cannot be written.
func TestTry(t *testing.T) {
	f := newFixture(t)
	for range 3 {
		if err := f.store.Try(); err != nil {
			t.Fatal(err)
		}
		if err := f.store.Checkpoint(); err != nil {
			t.Fatal(err)
		}
	}
	if s := f.store.Stats(); s.Commits != 0 || s.Events != 0 || s.Sessions != 0 {
		t.Errorf("%+v", s)
	}
	if err := f.store.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.store.Try(); messages.KindOf(err) != messages.Unavailable {
		t.Errorf("closed: %v", err)
	}
	f.open()
}
