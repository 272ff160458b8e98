package socket

import (
	"context"
	"errors"

	pb "betcode/proto/betcode/v1"
)

// Daemon is the daemon as this gateway sees it, over a connection with an identity of its own.
type Daemon interface {
	// Converse opens a conversation. The caller closes it.
	Converse(start *pb.StartConversation) Conversation
	// Find returns a session by its id, or of those with that name the one that was used last. The error is [ErrNotFound] if there is none.
	Find(ctx context.Context, reference string) (Found, error)
	// Deny denies a request that waits, and tells the agent why.
	Deny(ctx context.Context, session, request, why string) error
	// Stop ends the agent of a session; its history stays.
	Stop(ctx context.Context, session string) error
	// Close ends the connection.
	Close() error
}

// ErrNotFound says that there is no such session.
var ErrNotFound = errors.New("there is no such session")

// Found is a session of the daemon.
type Found struct {
	Session string
	Head    uint64 // number of its newest event
	Before  uint64 // events up to here are not replayed
}

// Conversation is one session as one client sees it. It reconnects by itself until the session
// or the client has gone.
type Conversation interface {
	// Session returns the id of the session.
	Session() string
	// Next returns the next event; in order, each once. It returns nil at the end and, unless it waits, if none is there yet.
	// One goroutine calls it.
	Next(wait bool) *pb.AgentEvent
	// Err returns why the conversation ended; nil if it was closed.
	Err() error
	// Send sends a request. It does not wait.
	Send(*pb.AgentRequest)
	// Close detaches. The session goes on.
	Close()
}
