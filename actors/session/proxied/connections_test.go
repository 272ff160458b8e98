package proxied

import (
	"errors"
	"slices"
	"testing"

	"betcode/messages"
)

// sink notes what a connection is told.
type sink struct {
	told   []messages.ProxyEvent
	closed []error
}

func (s *sink) Send(e messages.ProxyEvent) { s.told = append(s.told, e) }
func (s *sink) Close(reason error)         { s.closed = append(s.closed, reason) }

func TestConnections(t *testing.T) {
	a, b := &sink{}, &sink{}
	c := Connections{}
	c.Open("a", a)
	c.Open("b", b)
	c.Send("a", messages.ProxyInterrupt{})
	c.Send("z", messages.ProxyInterrupt{})
	last := messages.ProxyTerminate{Reason: "stopped"}
	c.Close("a", last, nil)
	c.Close("a", last, Replaced("s"))
	c.Send("a", messages.ProxyInterrupt{})
	if want := []messages.ProxyEvent{messages.ProxyInterrupt{}, last}; !slices.Equal(a.told, want) || len(a.closed) != 1 || a.closed[0] != nil {
		t.Errorf("told %v, closed %v", a.told, a.closed)
	}
	c.CloseAll()
	c.CloseAll()
	if len(b.told) != 0 || len(b.closed) != 1 || messages.KindOf(b.closed[0]) != messages.Unavailable || len(c) != 0 {
		t.Errorf("told %v, closed %v", b.told, b.closed)
	}
	c.Open("d", a)
	c.Close("d", nil, Replaced("s"))
	if got := a.closed[len(a.closed)-1]; messages.KindOf(got) != messages.Aborted || len(a.told) != 2 {
		t.Errorf("closed %v, told %v", got, a.told)
	}
}

func TestErrorsOfConnections(t *testing.T) {
	for kind, err := range map[messages.Kind]*messages.Error{
		messages.Aborted: Stale("s"), messages.WrongState: Ended("s", "stopped"), messages.NotFound: NotFound("register", "s"),
	} {
		var e *messages.Error
		if !errors.As(err, &e) || e.Kind != kind || e.Hint == "" || e.Details["session_id"] != "s" {
			t.Errorf("%v: %+v", kind, err)
		}
	}
	if Ended("s", "x").Code != messages.SessionClosed || NotFound("register", "s").Code != messages.SessionNotFound {
		t.Error("codes")
	}
}
