package grpcapi

import (
	"context"
	"sync/atomic"

	"google.golang.org/grpc/tap"

	"betcode/grpcapi/wire"
	"betcode/messages"
)

// newcomerStreams is how many calls may be under way over a TCP connection that has not
// shown a token that counts. Each takes some 20 KiB before anybody has looked at it, and
// there are as many such connections as there are places for newcomers.
const newcomerStreams = 100

// newcomer counts the calls of a connection until it has shown a token.
type newcomer struct {
	known atomic.Bool
	calls atomic.Int32
}

// introduce has the calls of the connection counted no longer.
func (n *newcomer) introduce() {
	if n != nil {
		n.known.Store(true)
	}
}

// begin reports whether there is room for another call, which ends with ctx.
func (n *newcomer) begin(ctx context.Context) bool {
	if n == nil || n.known.Load() {
		return true
	}
	if n.calls.Add(1) > newcomerStreams {
		n.calls.Add(-1)
		return false
	}
	context.AfterFunc(ctx, func() { n.calls.Add(-1) })
	return true
}

// tapNewcomer refuses a call before gRPC starts anything for it.
func tapNewcomer(ctx context.Context, _ *tap.Info) (context.Context, error) {
	if p, ok := PeerOf(ctx); !ok || p.newcomer.begin(ctx) {
		return ctx, nil
	}
	return ctx, wire.Status(messages.Errorf(opAdmit, messages.Exhausted, "%d calls are under way over a connection that has shown no token", newcomerStreams).
		With(messages.RetryAfter, "1000").WithHint("Wait for the answer to the first call.")).Err()
}
