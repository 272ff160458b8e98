package grpcapi

import (
	"context"
	"io"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// fakeStream returns the events that a test puts into it.
type fakeStream struct {
	batches chan []messages.Event
	end     chan error
	closed  chan struct{}
	once    sync.Once

	finished chan struct{} // closed by Finish
	working  bool          // Finish does not end the stream

	pumping sync.Once
	wake    chan struct{}
	mu      sync.Mutex
	events  []messages.Event
	err     error
}

func newFakeStream() *fakeStream {
	return &fakeStream{batches: make(chan []messages.Event, 64), end: make(chan error, 1), closed: make(chan struct{}), finished: make(chan struct{}), wake: make(chan struct{}, 1)}
}

func (s *fakeStream) Ready() <-chan struct{} {
	s.pumping.Do(func() { go s.pump() })
	return s.wake
}

// pump takes the events of the test, the end last.
func (s *fakeStream) pump() {
	put := func(events []messages.Event, err error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.events, s.err = append(s.events, events...), err
		select {
		case s.wake <- struct{}{}:
		default:
		}
	}
	for {
		select {
		case b := <-s.batches:
			put(b, nil)
			continue
		default:
		}
		select {
		case b := <-s.batches:
			put(b, nil)
		case err := <-s.end:
			if err == nil {
				err = io.EOF
			}
			put(nil, err)
			return
		case <-s.closed:
			return
		}
	}
}

func (s *fakeStream) Take(context.Context) ([]messages.Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	events := s.events
	s.events = nil
	return events, s.err
}

func (s *fakeStream) Finish() {
	close(s.finished)
	if s.working {
		return
	}
	select {
	case s.end <- nil:
	default: // it is ending already
	}
}

func (s *fakeStream) Close() { s.once.Do(func() { close(s.closed) }) }

// eventOf returns an event with its bytes, which include the sequence.
func eventOf(t testing.TB, e *pb.AgentEvent) messages.Event {
	t.Helper()
	raw, err := proto.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return messages.Event{Seq: messages.Seq(e.GetSequence()), Bytes: raw}
}

func textEvent(t testing.TB, seq uint64, text string) messages.Event {
	return eventOf(t, &pb.AgentEvent{Sequence: seq, Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{Text: text}}})
}

func idleEvent(t testing.TB, seq uint64) messages.Event {
	return eventOf(t, &pb.AgentEvent{Sequence: seq, Event: &pb.AgentEvent_StatusChange{StatusChange: &pb.StatusChange{Status: pb.AgentStatus_IDLE}}})
}
