package main

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"google.golang.org/grpc/metadata"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// compact compacts a session as soon as it is quiescent, through the daemon that runs at that time.
// It gives up when the round ends.
func (r *round) compact(ctx context.Context, session int) {
	request := &pb.CompactSessionRequest{SessionId: r.sessions[session], IdempotencyKey: uuid.NewString()}
	ctx = metadata.AppendToOutgoingContext(ctx, "x-client-id", r.writer(session).name)
	for ctx.Err() == nil && !r.draining.Load() {
		if d := r.house.now(); d != nil {
			call, cancel := context.WithTimeout(ctx, callTime)
			done, err := d.Agents().CompactSession(call, request)
			cancel()
			if err == nil && done.GetDone() {
				r.note("session %d is compacted up to %d", session, done.GetBoundary())
				return
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// acknowledge finds messages that a client still repeats although the daemon accepted them: the
// acknowledging event may have been compacted before the client got it.
func (r *round) acknowledge(ctx context.Context, c *client) {
	if !slices.ContainsFunc(c.events(), func(e kit.Event) bool { return e.Raw == nil }) {
		return
	}
	all, err := r.export(ctx, c.session)
	if err != nil {
		return // it is tried again
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range all {
		if key := e.GetUserInput().GetIdempotencyKey(); key != "" {
			c.acked[key] = true
		}
	}
}
