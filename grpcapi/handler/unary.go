package handler

import (
	"context"

	"betcode/grpcapi/auth"
	"betcode/messages"
)

// Unary handlers have one form. They translate the request, and Unary asks and translates the answer:
//
//	m, err := translate.RenameIn(r)
//	return handler.Unary(ctx, handler.Idempotent{Asker: s.asker}, m, err, handler.Empty[pb.RenameSessionResponse])
//
// The second argument is the Asker itself for queries, [Idempotent] for changes to a session, and
// [Patient] for requests that may take long.

// Answerer is an [Asker] as [Unary] needs it.
type Answerer interface {
	Ask(ctx context.Context, r messages.Request) (messages.Reply, error)
}

// Unary sends m and translates the answer with out. If err, the error of translating the request,
// is not nil, it returns err without sending m.
func Unary[A messages.Reply, Out any](ctx context.Context, a Answerer, m messages.Request, err error, out func(A) *Out) (*Out, error) {
	if err != nil {
		return nil, err
	}
	answer, err := Ask[A](ctx, a, m)
	if err != nil {
		return nil, err
	}
	return out(answer), nil
}

// Empty translates [messages.Done] into a response without fields.
func Empty[Out any](messages.Done) *Out { return new(Out) }

// Idempotent sends changes to a session. A call with an idempotency key takes effect once.
type Idempotent struct{ Asker }

// Ask implements [Asker].
func (o Idempotent) Ask(ctx context.Context, r messages.Request) (messages.Reply, error) {
	c := auth.CallOf(ctx)
	if change, ok := r.(messages.SessionRequest); ok && c.Key != "" {
		r = messages.Idempotent{Key: c.Key, Digest: c.Digest, Request: change}
	}
	return o.Asker.Ask(ctx, r)
}

// Patient sends requests that may take long. It returns when the daemon shuts down.
type Patient struct {
	Asker
	Draining <-chan struct{} // closed when the daemon shuts down
}

// Ask implements [Asker].
func (p Patient) Ask(ctx context.Context, r messages.Request) (messages.Reply, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		select {
		case <-p.Draining:
			cancel()
		case <-ctx.Done():
		}
	}()
	answer, err := p.Asker.Ask(ctx, r)
	select {
	case <-p.Draining:
		if messages.KindOf(err) == messages.Canceled {
			err = ShuttingDown()
		}
	default:
	}
	cancel()
	<-drained
	return answer, err
}

// ShuttingDown returns the error that ends streams when the daemon shuts down.
func ShuttingDown() error {
	return messages.Errorf("serve", messages.Unavailable, "the daemon is shutting down").WithCode(messages.DaemonStopping).
		WithHint("Reconnect with your last sequence; nothing is lost.")
}
