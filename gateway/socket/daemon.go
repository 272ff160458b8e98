package socket

import (
	"context"
	"errors"

	pb "betcode/proto/betcode/v1"
)

// Daemon is the daemon as this gateway sees it, over a connection with its own client id.
type Daemon interface {
	// Converse opens a conversation. The caller closes it.
	Converse(start *pb.StartConversation) Conversation
	// Find returns a session by its id, or the most recently used one with a name. The error is [ErrNotFound] if there
	// is none.
	Find(ctx context.Context, reference string) (Found, error)
	// Deny denies a waiting request, with a reason for the agent.
	Deny(ctx context.Context, session, request, why string) error
	// Stop ends the agent of a session; its history stays.
	Stop(ctx context.Context, session string) error
	// Close ends the connection.
	Close() error
}

// ErrNotFound is the error for an unknown session.
var ErrNotFound = errors.New("there is no such session")

// Found is a session of the daemon.
type Found struct {
	Session string
	Head    uint64 // number of its newest event
	Before  uint64 // events up to here are not replayed
}

// Conversation is one session as one client sees it. It reconnects by itself until the session is
// deleted or the client leaves.
type Conversation interface {
	// Session returns the id of the session.
	Session() string
	// Next returns the events in order, each once. It returns nil at the end and, without wait, if there is none yet.
	// Only one goroutine calls it.
	Next(wait bool) *pb.AgentEvent
	// Err returns why the conversation ended; nil if it was closed.
	Err() error
	// Send sends a request. It does not wait.
	Send(*pb.AgentRequest)
	// Close detaches. The session continues.
	Close()
}
