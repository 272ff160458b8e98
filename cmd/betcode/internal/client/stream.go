package client

import (
	"context"
	"errors"

	"google.golang.org/grpc"

	pb "betcode/proto/betcode/v1"
)

// errRestored ends a connection to a daemon with another journal than before.
var errRestored = errors.New("the daemon has another journal")

type converseStream = grpc.BidiStreamingClient[pb.AgentRequest, pb.AgentEvent]

// connect opens one connection and receives until it ends. progress reports whether a
// new event arrived; io.EOF is a clean end. gRPC must not reconnect by itself: its
// backoff would add to ours.
func (v *Conversation) connect(ctx context.Context, again bool) (progress bool, err error) {
	conn, err := dial(v.client.options)
	if err != nil {
		return false, err
	}
	defer conn.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := pb.NewAgentServiceClient(conn).Converse(ctx)
	if err != nil {
		return false, err
	}
	v.mu.Lock()
	opening := v.ledger.opening()
	v.mu.Unlock()
	if err := stream.Send(opening); err != nil {
		_, err = stream.Recv() // it has the status
		return false, err
	}
	sender := make(chan struct{})
	go func() {
		defer close(sender)
		v.sendAll(ctx, stream)
	}()
	defer func() {
		cancel()
		<-sender
	}()
	for {
		event, err := stream.Recv()
		if err != nil {
			return progress, err
		}
		if e := event.GetError(); e.GetIsFatal() && event.GetSequence() == 0 {
			continue // the status repeats it
		}
		v.mu.Lock()
		got := v.ledger.receive(event)
		v.mu.Unlock()
		if got == restored {
			return progress, errRestored
		}
		if again && !v.put(ctx, Item{Outage: &Outage{}}) {
			return progress, ctx.Err()
		}
		again = false
		progress = progress || got == fresh && event.GetSequence() > 0
		if got == fresh && !v.put(ctx, Item{Event: event}) {
			return progress, ctx.Err()
		}
	}
}

// sendAll sends queued requests until the connection ends. A request that was not
// sent stays in the ledger.
func (v *Conversation) sendAll(ctx context.Context, stream converseStream) {
	for {
		v.mu.Lock()
		request, closed := v.ledger.next(), v.closed
		v.mu.Unlock()
		switch {
		case request != nil:
			if stream.Send(request) != nil {
				return
			}
			continue
		case closed:
			_ = stream.CloseSend()
			return
		}
		select {
		case <-v.wake:
		case <-ctx.Done():
			return
		}
	}
}
