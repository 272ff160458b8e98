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

// reading follows a session for a page that may only view. It implements [portal.Conversation].
type reading struct {
	events chan *pb.AgentEvent
	leave  context.CancelFunc

	mu  sync.Mutex
	err error
}

func newReading(cl *client.Client, session string) *reading {
	ctx, cancel := context.WithCancel(context.Background())
	r := &reading{events: make(chan *pb.AgentEvent), leave: cancel}
	go r.run(ctx, cl, session)
	return r
}

// run reads until the session or the reader has gone, over daemons that end and come back.
func (r *reading) run(ctx context.Context, cl *client.Client, session string) {
	defer close(r.events)
	last, wait := uint64(0), firstRetry
	for {
		before := last
		err := r.follow(ctx, cl, session, &last)
		if last > before {
			wait = firstRetry
		}
		switch code := status.Code(err); {
		case ctx.Err() != nil, errors.Is(err, io.EOF), err == nil:
			return
		case code == codes.OutOfRange:
			r.end(errRestored)
			return
		case code != codes.Unavailable && code != codes.Aborted && code != codes.Internal && code != codes.Unknown && code != codes.ResourceExhausted:
			r.end(told(err))
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

// follow reads one stream. last is the number of the newest event that was handed on.
func (r *reading) follow(ctx context.Context, cl *client.Client, session string, last *uint64) error {
	stream, err := cl.Agent.ResumeSession(ctx, &pb.ResumeSessionRequest{SessionId: session, FromSequence: *last, Follow: true})
	if err != nil {
		return err
	}
	return client.Each(stream, func(e *pb.AgentEvent) error {
		if e.GetSequence() > 0 && e.GetSequence() <= *last {
			return nil
		}
		*last = max(*last, e.GetSequence())
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

// Send implements [portal.Conversation]: a page that may only view sends nothing.
func (*reading) Send(*pb.AgentRequest) {}

// Close implements [portal.Conversation].
func (r *reading) Close() { r.leave() }
