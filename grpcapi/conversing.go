package grpcapi

import (
	"context"
	"sync"

	"betcode/grpcapi/auth"
	"betcode/messages"
)

// A published screen opens Converse and then replays the session with ResumeSession, on one
// connection. gRPC serves both concurrently. Therefore a ResumeSession call ends after its replay
// if its connection has a Converse stream on the session, opened before the call or during it.

// conversing counts the Converse streams of each session on each connection, and the running
// replays, beside which a stream may be opened. The zero value is empty.
type conversing struct {
	mu      sync.Mutex
	open    map[converser]int
	replays map[converser]map[chan struct{}]bool
}

type converser struct {
	connection string
	session    messages.SessionID
}

// enter adds a stream and notifies the replays beside it. The returned function removes it.
func (c *conversing) enter(ctx context.Context, session messages.SessionID) (leave func()) {
	peer, ok := auth.PeerOf(ctx)
	if !ok {
		return func() {}
	}
	key := converser{peer.Connection, session}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open = map[converser]int{}
	}
	c.open[key]++
	for replay := range c.replays[key] {
		close(replay)
	}
	delete(c.replays, key)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.open[key]--; c.open[key] == 0 {
			delete(c.open, key)
		}
	}
}

// beside returns a channel that is closed when the caller's connection has a Converse stream
// on a session, immediately if it has one. The function removes the channel.
func (c *conversing) beside(ctx context.Context, session messages.SessionID) (joined <-chan struct{}, forget func()) {
	replay := make(chan struct{})
	peer, ok := auth.PeerOf(ctx)
	if !ok {
		return replay, func() {}
	}
	key := converser{peer.Connection, session}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[key] > 0 {
		close(replay)
		return replay, func() {}
	}
	if c.replays == nil {
		c.replays = map[converser]map[chan struct{}]bool{}
	}
	if c.replays[key] == nil {
		c.replays[key] = map[chan struct{}]bool{}
	}
	c.replays[key][replay] = true
	return replay, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.replays[key], replay)
		if len(c.replays[key]) == 0 {
			delete(c.replays, key)
		}
	}
}
