package actors

import (
	"fmt"
	"testing"

	"betcode/messages"
)

// However many observe a session, a client that may write can attach; no client takes
// all places.
func TestPlacesForWriters(t *testing.T) {
	s := &sessionState{streams: map[string]stream{}}
	fill := func(m messages.Attach) (n int) {
		for ; s.crowded(m) == nil; n++ {
			if n > maxStreams {
				t.Fatal("there is no end of places")
			}
			if m.Observer {
				m.Client = messages.ClientID(fmt.Sprint("c", n/100))
			}
			s.streams[fmt.Sprint(m.Observer, m.Client, n)] = stream{client: m.Client, observer: m.Observer}
		}
		return n
	}
	if n := fill(messages.Attach{Observer: true}); n != maxStreams-writerStreams {
		t.Errorf("%d observe", n)
	}
	if err := s.crowded(messages.Attach{Client: "owner"}); err != nil {
		t.Errorf("the owner: %v", err)
	}
	if n := fill(messages.Attach{Client: "owner"}); n != writerStreams {
		t.Errorf("%d write", n)
	}
	clear(s.streams)
	if n := fill(messages.Attach{Client: "owner"}); n != clientStreams {
		t.Errorf("%d of one client", n)
	}
	if err := s.crowded(messages.Attach{Client: "another"}); err != nil {
		t.Errorf("another: %v", err)
	}
}
