package grpcapi

import (
	"context"

	"betcode/grpcapi/door"
	"betcode/messages"
)

// Unary handlers have one form. They translate the request, and unary asks and translates the
// answer:
//
//	m, err := renameIn(r)
//	return unary(ctx, once{s.asker}, m, err, empty[pb.RenameSessionResponse])
//
// The second argument says how to ask: the Asker itself for queries, [once] for changes to a
// session, [patient] for requests that may take long.

// answerer is an [Asker] as unary needs it.
type answerer interface {
	Ask(ctx context.Context, r messages.Request) (messages.Reply, error)
}

// unary asks m and translates the answer with out. err is the error of translating the
// request; then nothing is asked.
func unary[A messages.Reply, Out any](ctx context.Context, a answerer, m messages.Request, err error, out func(A) *Out) (*Out, error) {
	if err != nil {
		return nil, err
	}
	answer, err := ask[A](ctx, a, m)
	if err != nil {
		return nil, err
	}
	return out(answer), nil
}

// empty translates [messages.Done] into a response without fields.
func empty[Out any](messages.Done) *Out { return new(Out) }

// once asks for changes to a session. A call with an idempotency key takes effect once.
type once struct{ Asker }

// Ask implements [Asker].
func (o once) Ask(ctx context.Context, r messages.Request) (messages.Reply, error) {
	c := door.CallOf(ctx)
	if change, ok := r.(messages.SessionRequest); ok && c.Key != "" {
		r = messages.Once{Key: c.Key, Digest: c.Digest, Request: change}
	}
	return o.Asker.Ask(ctx, r)
}

// patient asks for what may take long: it returns when the daemon shuts down.
type patient struct{ server *Server }

// Ask implements [Asker].
func (p patient) Ask(ctx context.Context, r messages.Request) (messages.Reply, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		select {
		case <-p.server.draining:
			cancel()
		case <-ctx.Done():
		}
	}()
	answer, err := p.server.asker.Ask(ctx, r)
	select {
	case <-p.server.draining:
		if messages.KindOf(err) == messages.Canceled {
			err = errDraining()
		}
	default:
	}
	cancel()
	<-drained
	return answer, err
}
