package handler

import "context"

// First returns the first request of a stream, or the cause of ctx if that ends before: a client that sends nothing does not keep a
// stream whose token was revoked. receive may block until the handler has returned.
func First[T any](ctx context.Context, receive func() (*T, error)) (*T, error) {
	type received struct {
		request *T
		err     error
	}
	arrived := make(chan received, 1)
	go func() { // ends after the handler at the latest, when receive returns
		request, err := receive()
		arrived <- received{request, err}
	}()
	select {
	case r := <-arrived:
		return r.request, r.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
