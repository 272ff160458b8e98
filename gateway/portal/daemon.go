package portal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"betcode/gateway/portal/proxies"
	pb "betcode/proto/betcode/v1"
)

// Daemon is the daemon as one caller sees it.
type Daemon interface {
	// Caller returns the caller of the connection. The error is [ErrUnauthenticated] if its token is invalid.
	Caller(ctx context.Context) (Caller, error)
	// Sessions lists all sessions, most recently used first.
	Sessions(ctx context.Context) ([]*pb.SessionSummary, error)
	// Show returns a session by its id. The error is [ErrNotFound] if there is none.
	Show(ctx context.Context, session string) (Session, error)
	// History calls each for the replayed events of a session, in order.
	History(ctx context.Context, of Session, each func(*pb.AgentEvent)) error
	// Follow reads a session: the events after a sequence, then new ones. The caller closes it.
	Follow(session string, after uint64) Conversation
	// Write attaches to a session to send requests, without its history. The caller closes it.
	Write(session string) Conversation
	// Stop ends the agent of a session.
	Stop(ctx context.Context, session string) error
	// Continue continues a session that waits for a person.
	Continue(ctx context.Context, session string) error
	// Fork creates a session that begins with the conversation of another, and returns its id. The name may be empty.
	Fork(ctx context.Context, session, name string) (string, error)
	// StopRepeat ends the repetition of a session's prompt.
	StopRepeat(ctx context.Context, session string) error
	// Delete deletes a session.
	Delete(ctx context.Context, session string) error
	// Proxy opens a call for a proxy. The call ends with ctx.
	Proxy(ctx context.Context) (proxies.Call, error)
	ProxyTokens
	Members
	// Close ends the connection.
	Close() error
}

// Members manages the people with whom sessions are shared. Only owners may change them.
type Members interface {
	// Members lists the members of a session.
	Members(ctx context.Context, session string) ([]*pb.Member, error)
	// Share makes a person a member, or changes a member's role.
	Share(ctx context.Context, session, person, role string) (*pb.Member, error)
	// Unshare ends a membership; [ErrNotFound] if there is none.
	Unshare(ctx context.Context, session, person string) error
	// AccessTokens lists the tokens of all people.
	AccessTokens(ctx context.Context) ([]*pb.AccessToken, error)
}

// ProxyTokens manages the tokens of proxies of the caller's person, or, for an owner, of all people.
type ProxyTokens interface {
	// ProxyTokens lists the tokens, newest first.
	ProxyTokens(ctx context.Context) ([]*pb.AccessToken, error)
	// CreateProxyToken creates a token and returns its secret.
	CreateProxyToken(ctx context.Context, title string, days uint32) (secret string, made *pb.AccessToken, err error)
	// RenewProxyToken gives a token a new secret. The error is [ErrNotFound] for an unknown id.
	RenewProxyToken(ctx context.Context, id string, days uint32) (secret string, renewed *pb.AccessToken, err error)
	// RevokeProxyToken revokes a token. The error is [ErrNotFound] for an unknown id.
	RevokeProxyToken(ctx context.Context, id string) error
}

// Tokens is the daemon's store of tokens, for the daemon's user.
type Tokens interface {
	// Create creates the token of a login and returns its secret.
	Create(ctx context.Context, of Login) (secret string, err error)
	// Revoke revokes a token. The error is [ErrNotFound] if there is none.
	Revoke(ctx context.Context, name string) error
}

// Login describes the token of a login.
type Login struct {
	Name, Person string
	Scopes       []string
	Shared       bool // as of [Caller]
	Expires      time.Time
}

// The errors of a [Daemon] that callers distinguish.
var (
	ErrNotFound        = proxies.ErrNotFound
	ErrUnauthenticated = proxies.ErrUnauthenticated
	ErrDenied          = proxies.ErrDenied
	ErrInvalid         = proxies.ErrInvalid
)

// errUnconfirmed is the error of a call whose request may have been stored.
var errUnconfirmed = errors.New("the daemon has not confirmed the message in time; send it again with the same client_msg_id")

// StateError is the error for a request that is not possible in the present state of the session or the
// daemon. Its text is for people.
type StateError struct{ Why string }

// Error implements error.
func (e StateError) Error() string { return e.Why }

// invalid returns the error for an invalid request.
func invalid(why string) error { return fmt.Errorf("%w: %s", ErrInvalid, why) }

// Caller is the identity and the rights of the caller of a request.
type Caller struct {
	Token   string   // name of the token; empty for the user of the daemon
	Person  string   // owner of the token; empty for the user of the daemon
	Scopes  []string // of "view", "approve", "control", "admin"
	Expires time.Time
	Shared  bool              // it sees only sessions that are shared with its person
	Roles   map[string]string // its roles in those sessions, by id
}

// within returns the caller with the rights that its role in a session leaves.
func (c Caller) within(session string) Caller {
	if c.Shared && c.Roles[session] != "editor" {
		c.Scopes = []string{"view"}
	}
	return c
}

// may reports whether the caller has a scope.
func (c Caller) may(scope string) bool { return slices.Contains(c.Scopes, scope) }

// role returns the caller's rights as a role that pages know.
func (c Caller) role() string {
	switch {
	case c.may("admin"):
		return "owner"
	case c.may("control"), c.may("approve"):
		return "editor"
	}
	return "viewer"
}

// Session is a session of the daemon.
type Session struct {
	Summary *pb.SessionSummary
	Head    uint64 // number of its newest event
	Before  uint64 // events up to here are not replayed
	// ForkedFrom is the session that it was forked from; empty = none.
	ForkedFrom string
}

// Conversation is one session as one page sees it. It reconnects by itself until the session is
// deleted or the page leaves.
type Conversation interface {
	// Events returns the events in order, each once. The channel is closed at the end.
	Events() <-chan *pb.AgentEvent
	// Err returns why the conversation ended; nil if it was closed.
	Err() error
	// Send sends a request. It does not wait. A conversation of Follow sends nothing.
	Send(*pb.AgentRequest)
	// Close detaches. The session continues. The reader of the events may call it.
	Close()
}
