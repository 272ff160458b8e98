package proxies

import (
	"context"
	"errors"
	"io"

	pb "betcode/proto/betcode/v1"
)

// Daemon is the daemon, with the rights of a proxy's token.
type Daemon interface {
	// Proxy opens a call of ProxyService.Connect. The call ends with ctx.
	Proxy(ctx context.Context) (Call, error)
	// Close ends the connection.
	Close() error
}

// Call is one call of ProxyService.Connect. One goroutine sends and another one receives.
type Call interface {
	// Send sends a request. An error means that the call has ended; Recv returns the reason.
	Send(*pb.ProxyRequest) error
	// Recv returns the next event; io.EOF if the daemon has ended the call without an error.
	Recv() (*pb.ProxyEvent, error)
}

// The errors of a [Call] that callers distinguish. All others mean that the daemon is away.
var (
	ErrUnauthenticated = errors.New("the token is not valid")
	ErrDenied          = errors.New("the token lacks the scope")
	ErrNotFound        = errors.New("there is no such session")
	ErrInvalid         = errors.New("the daemon refuses the request")
	ErrEnded           = errors.New("the session has ended")
	ErrTakenOver       = errors.New("another connection has registered the session")
)

// away reports whether an error means that a later call may succeed.
func away(err error) bool {
	for _, final := range []error{ErrUnauthenticated, ErrDenied, ErrNotFound, ErrInvalid, ErrEnded, ErrTakenOver, io.EOF, context.Canceled} {
		if errors.Is(err, final) {
			return false
		}
	}
	return true
}
