package auth

import (
	"context"
	"sync/atomic"

	"google.golang.org/grpc/tap"

	"betcode/grpcapi/wire"
	"betcode/messages"
)

// NewcomerCalls bounds the concurrent calls over a TCP connection without a valid token so far.
// Each takes about 20 KiB before it is checked, and the listener admits several such connections.
const NewcomerCalls = 100

// newcomer counts the calls of a connection until one has a valid token.
type newcomer struct {
	known atomic.Bool
	calls atomic.Int32
}

// introduce ends the count: the connection has sent a valid token.
func (n *newcomer) introduce() {
	if n != nil {
		n.known.Store(true)
	}
}

// begin counts a call until ctx ends. It reports false at the bound.
func (n *newcomer) begin(ctx context.Context) bool {
	if n == nil || n.known.Load() {
		return true
	}
	if n.calls.Add(1) > NewcomerCalls {
		n.calls.Add(-1)
		return false
	}
	context.AfterFunc(ctx, func() { n.calls.Add(-1) })
	return true
}

// Tap is a tap.ServerInHandle. It refuses a call of a newcomer before gRPC allocates anything for it.
func Tap(ctx context.Context, _ *tap.Info) (context.Context, error) {
	if p, ok := PeerOf(ctx); !ok || p.newcomer.begin(ctx) {
		return ctx, nil
	}
	return ctx, wire.Status(messages.Errorf(opAdmit, messages.Exhausted, "%d calls are being served over a connection that has sent no token", NewcomerCalls).
		With(messages.RetryAfter, "1000").WithHint("Wait for the answer to the first call.")).Err()
}
