package gateways

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"betcode/cmd/betcode/internal/client"
	pb "betcode/proto/betcode/v1"
)

// The waits of a reading while the daemon is away.
const (
	firstRetry = 100 * time.Millisecond
	lastRetry  = 5 * time.Second
)

// reading follows a session. It implements [portal.Conversation].
type reading struct {
	events chan *pb.AgentEvent
	leave  context.CancelFunc

	mu  sync.Mutex
	err error
}

func newReading(cl *client.Client, session string, after uint64) *reading {
	ctx, cancel := context.WithCancel(context.Background())
	r := &reading{events: make(chan *pb.AgentEvent), leave: cancel}
	go r.run(ctx, cl, session, after)
	return r
}

// run reads until the session or the reader has gone, over daemons that end and come back.
func (r *reading) run(ctx context.Context, cl *client.Client, session string, last uint64) {
	defer close(r.events)
	place, wait := cursor{last: last}, firstRetry
	for {
		before := place.last
		err := r.follow(ctx, cl, session, &place)
		if place.last > before {
			wait = firstRetry
		}
		switch code := status.Code(err); {
		case ctx.Err() != nil, errors.Is(err, io.EOF), err == nil:
			return
		case code == codes.OutOfRange, errors.Is(err, errRestored):
			r.end(errRestored)
			return
		case code != codes.Unavailable && code != codes.Aborted && code != codes.Internal && code != codes.Unknown && code != codes.ResourceExhausted:
			r.end(portalError(err))
			return
		}
		select {
		case <-time.After(wait):
			wait = min(2*wait, lastRetry)
		case <-ctx.Done():
			return
		}
	}
}

// cursor is the position of a reading: the number of the newest event that was passed on, and the
// lineage of its journal.
type cursor struct {
	last    uint64
	lineage string
}

// take moves the cursor to an event. It reports whether the event is new; [errRestored] if it is of
// another journal.
func (c *cursor) take(e *pb.AgentEvent) (bool, error) {
	if lineage := e.GetSessionInfo().GetLineage(); lineage != "" && e.GetSequence() == 0 { // of a snapshot: history may have that of a journal before
		if c.lineage != "" && c.lineage != lineage {
			return false, errRestored
		}
		c.lineage = lineage
	}
	if e.GetSequence() > 0 && e.GetSequence() <= c.last {
		return false, nil
	}
	c.last = max(c.last, e.GetSequence())
	return true, nil
}

// follow reads one stream.
func (r *reading) follow(ctx context.Context, cl *client.Client, session string, place *cursor) error {
	stream, err := cl.Agent.ResumeSession(ctx, &pb.ResumeSessionRequest{SessionId: session, FromSequence: place.last, Follow: true})
	if err != nil {
		return err
	}
	return client.Each(stream, func(e *pb.AgentEvent) error {
		if fresh, err := place.take(e); !fresh {
			return err
		}
		select {
		case r.events <- e:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
}

func (r *reading) end(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = err
}

// Events implements [portal.Conversation].
func (r *reading) Events() <-chan *pb.AgentEvent { return r.events }

// Err implements [portal.Conversation].
func (r *reading) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Send implements [portal.Conversation]: it only follows.
func (*reading) Send(*pb.AgentRequest) {}

// Close implements [portal.Conversation].
func (r *reading) Close() { r.leave() }
