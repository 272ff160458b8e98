package local

import (
	"testing"

	"betcode/messages"
)

func TestSameUser(t *testing.T) {
	t.Parallel()
	if err := sameUser(1000, 1000); err != nil {
		t.Error(err)
	}
	if err := sameUser(65534, 1000); messages.KindOf(err) != messages.Denied {
		t.Errorf("a socket of another user: %v", err)
	}
	if err := sameUser(0, 1000); messages.KindOf(err) != messages.Denied {
		t.Errorf("a socket of root: %v", err)
	}
}
