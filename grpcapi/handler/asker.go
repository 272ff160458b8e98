package handler

import (
	"context"

	"betcode/messages"
)

// Asker is the actor system as the gateway sees it. Its errors are [*messages.Error] or those of the context.
type Asker interface {
	// Ask sends r to its actor and waits for the answer.
	Ask(ctx context.Context, r messages.Request) (messages.Reply, error)
	// Attach adds a stream to a session. The implementation fills in a.Sink. The
	// caller closes the Stream.
	Attach(ctx context.Context, a messages.Attach) (Stream, messages.Attached, error)
}

// Stream is the reading end of one attached stream. Ready, Take and Finish are called from
// one goroutine, Close from any.
type Stream interface {
	// Ready is signalled when Take has events or the end. The channel may change with each Take.
	Ready() <-chan struct{}
	// Take returns the buffered events in order, possibly none. io.EOF is a clean end after the
	// last event. The events are shared and must not be changed.
	Take(ctx context.Context) ([]messages.Event, error)
	// Finish reports that the client sends no more requests. Take then returns io.EOF when the
	// session is quiescent and all its events were taken.
	Finish()
	// Close detaches the stream from its session.
	Close()
}

// Ask asks r and expects an answer of type R.
func Ask[R messages.Reply](ctx context.Context, a Answerer, r messages.Request) (R, error) {
	var none R
	reply, err := a.Ask(ctx, r)
	if err != nil {
		return none, err
	}
	answer, ok := reply.(R)
	if !ok {
		return none, messages.Errorf("ask", messages.Internal, "%T was answered with %T", r, reply)
	}
	return answer, nil
}
