package grpcapi

import (
	"context"
	"sync"

	"betcode/grpcapi/door"
	"betcode/messages"
)

// A published screen opens Converse and then replays the session with ResumeSession, on one
// connection. gRPC handles both at the same time, so the replay may be handled before the
// start of the stream was read. The rule that makes the order irrelevant: a ResumeSession
// call ends behind its replay as soon as its connection has a Converse stream on the session,
// be that from before the call or opened while it lasts.

// conversing knows which sessions have a Converse stream on which connection, and which
// replays wait for one. The zero value knows none.
type conversing struct {
	mu      sync.Mutex
	open    map[converser]int
	replays map[converser]map[chan struct{}]bool
}

type converser struct {
	connection string
	session    messages.SessionID
}

// enter adds a stream and tells the replays beside it; the function that it returns removes
// the stream.
func (c *conversing) enter(ctx context.Context, session messages.SessionID) (leave func()) {
	peer, ok := door.PeerOf(ctx)
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

// beside returns a channel that is closed as soon as the caller's connection has a Converse
// stream on a session: at once, if it has one. The function forgets the channel.
func (c *conversing) beside(ctx context.Context, session messages.SessionID) (joined <-chan struct{}, forget func()) {
	replay := make(chan struct{})
	peer, ok := door.PeerOf(ctx)
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
