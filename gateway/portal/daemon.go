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
	// Caller tells whose connection it is. [ErrUnauthenticated] if its token does not count.
	Caller(ctx context.Context) (Caller, error)
	// Sessions lists all sessions, the most recently used first.
	Sessions(ctx context.Context) ([]*pb.SessionSummary, error)
	// Show returns a session by its id; [ErrNotFound] if there is none.
	Show(ctx context.Context, session string) (Session, error)
	// History calls each for the journaled events of a session that are replayed, in order.
	History(ctx context.Context, of Session, each func(*pb.AgentEvent)) error
	// Follow reads a session: the events behind that number, then what happens. The caller closes it.
	Follow(session string, after uint64) Conversation
	// Write attaches to a session for requests; what happened before is left out. The caller closes it.
	Write(session string) Conversation
	// Stop ends the agent of a session.
	Stop(ctx context.Context, session string) error
	// Continue continues a session that waits for a person.
	Continue(ctx context.Context, session string) error
	// Fork makes a session that begins with the conversation of another, and returns its id. The name may be empty.
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

// Members are the people with whom sessions are shared. To change them a caller has to be an owner.
type Members interface {
	// Members lists those of a session.
	Members(ctx context.Context, session string) ([]*pb.Member, error)
	// Share makes a person a member, or changes the role.
	Share(ctx context.Context, session, person, role string) (*pb.Member, error)
	// Unshare ends a membership; [ErrNotFound] if there is none.
	Unshare(ctx context.Context, session, person string) error
	// AccessTokens lists the tokens of everybody.
	AccessTokens(ctx context.Context) ([]*pb.AccessToken, error)
}

// ProxyTokens are the tokens of proxies that belong to the person of a caller; of an owner, those of
// everybody.
type ProxyTokens interface {
	// ProxyTokens lists them, the newest first.
	ProxyTokens(ctx context.Context) ([]*pb.AccessToken, error)
	// CreateProxyToken makes one and returns its secret.
	CreateProxyToken(ctx context.Context, title string, days uint32) (secret string, made *pb.AccessToken, err error)
	// RenewProxyToken gives one another secret; [ErrNotFound] if there is none with that id.
	RenewProxyToken(ctx context.Context, id string, days uint32) (secret string, renewed *pb.AccessToken, err error)
	// RevokeProxyToken ends one; [ErrNotFound] if there is none with that id.
	RevokeProxyToken(ctx context.Context, id string) error
}

// Tokens is the daemon's store of tokens, as its user sees it.
type Tokens interface {
	// Create makes the token of a login and returns its secret.
	Create(ctx context.Context, of Login) (secret string, err error)
	// Revoke ends a token; [ErrNotFound] if there is none.
	Revoke(ctx context.Context, name string) error
}

// Login describes the token of a login.
type Login struct {
	Name, Person string
	Scopes       []string
	Shared       bool // as of [Caller]
	Expires      time.Time
}

// The errors of a [Daemon] that are told apart.
var (
	ErrNotFound        = proxies.ErrNotFound
	ErrUnauthenticated = proxies.ErrUnauthenticated
	ErrDenied          = proxies.ErrDenied
	ErrInvalid         = proxies.ErrInvalid
)

// errUnconfirmed ends a call whose request may have been stored.
var errUnconfirmed = errors.New("the daemon has not confirmed the message in time; send it again with the same client_msg_id")

// StateError is the error of a request for which the session, or the daemon, is in no state. It is for people.
type StateError struct{ Why string }

// Error implements error.
func (e StateError) Error() string { return e.Why }

// invalid is an error of what a caller sends.
func invalid(why string) error { return fmt.Errorf("%w: %s", ErrInvalid, why) }

// Caller is whose request it is.
type Caller struct {
	Token   string   // its name; empty for the user of the daemon
	Person  string   // that it belongs to; empty for the user of the daemon
	Scopes  []string // of "view", "approve", "control", "admin"
	Expires time.Time
	Shared  bool              // it sees only sessions that are shared with its person
	Roles   map[string]string // its roles in those, by their ids
}

// within returns the caller as it is in a session: its role there limits what it may do.
func (c Caller) within(session string) Caller {
	if c.Shared && c.Roles[session] != "editor" {
		c.Scopes = []string{"view"}
	}
	return c
}

// may reports whether the caller has a scope.
func (c Caller) may(scope string) bool { return slices.Contains(c.Scopes, scope) }

// role returns the role that pages know for what a caller may do.
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
	// ForkedFrom is the session that it begins with; empty = none.
	ForkedFrom string
}

// Conversation is one session as one page sees it. It reconnects by itself until the session or the
// page has gone.
type Conversation interface {
	// Events returns the events in order, each once. The channel is closed at the end.
	Events() <-chan *pb.AgentEvent
	// Err returns why the conversation ended; nil if it was closed.
	Err() error
	// Send sends a request. It does not wait. A conversation that follows sends nothing.
	Send(*pb.AgentRequest)
	// Close detaches. The session goes on. The reader of the events may call it.
	Close()
}
