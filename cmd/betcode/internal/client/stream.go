package client

import (
	"context"
	"errors"

	"google.golang.org/grpc"

	pb "betcode/proto/betcode/v1"
)

// errRestored ends a connection whose journal is not the one we have read.
var errRestored = errors.New("the daemon has another journal")

type converseStream = grpc.BidiStreamingClient[pb.AgentRequest, pb.AgentEvent]

// connect serves one connection to its end. progress reports whether a new event
// came over it; io.EOF is a clean end. Every connection is a new one: gRPC's own
// backoff would sit between ours and the daemon.
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
		_, err = stream.Recv() // the status is there
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
			continue // the status says it again
		}
		v.mu.Lock()
		heard := v.ledger.receive(event)
		v.mu.Unlock()
		if heard == restored {
			return progress, errRestored
		}
		if again && !v.put(ctx, Item{Outage: &Outage{}}) {
			return progress, ctx.Err()
		}
		again = false
		progress = progress || heard == fresh && event.GetSequence() > 0
		if heard == fresh && !v.put(ctx, Item{Event: event}) {
			return progress, ctx.Err()
		}
	}
}

// sendAll sends what there is to say, and waits for more, until the connection
// ends. What fails to be sent is in the ledger still.
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
