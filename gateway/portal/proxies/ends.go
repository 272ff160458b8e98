package proxies

import (
	"errors"
	"io"

	"github.com/coder/websocket"
)

// StatusTakenOver closes a proxy whose session another connection has registered. Its value is in
// the range for applications.
const StatusTakenOver websocket.StatusCode = 4001

// departure is why a connection ends. It is the cause of the context of the connection.
type departure struct {
	code   websocket.StatusCode
	reason string
	soon   bool // the proxy is asked to reconnect soon
}

// Error implements error.
func (d *departure) Error() string { return d.reason }

// The departures that this package causes.
var (
	errUnregistered = &departure{websocket.StatusPolicyViolation, "there was no Register within 10 seconds", false}
	errMany         = &departure{websocket.StatusTryAgainLater, "too many proxies", false}
	errClosed       = &departure{websocket.StatusNormalClosure, "the proxy has left", false}
	errTerminated   = &departure{websocket.StatusNormalClosure, "the session has ended", false}
	errRestarting   = &departure{websocket.StatusGoingAway, restarting, true}
	errSilent       = &departure{websocket.StatusPolicyViolation, "the proxy does not answer", false}
	errDeaf         = &departure{websocket.StatusPolicyViolation, "the proxy does not read", false}
	errStuck        = &departure{websocket.StatusTryAgainLater, "the daemon does not store what the proxy sends", true}
)

// departureOf returns the departure for the error that ended a call.
func departureOf(err error) *departure {
	var d *departure
	switch {
	case errors.As(err, &d):
		return d
	case errors.Is(err, io.EOF), errors.Is(err, ErrEnded):
		return errTerminated
	case errors.Is(err, ErrTakenOver):
		return &departure{StatusTakenOver, "another proxy has registered this session", false}
	case errors.Is(err, ErrUnauthenticated), errors.Is(err, ErrDenied):
		return &departure{websocket.StatusPolicyViolation, "the token has ended", false}
	case errors.Is(err, ErrNotFound):
		return &departure{websocket.StatusPolicyViolation, "the session is not known", false}
	case errors.Is(err, ErrInvalid):
		return &departure{websocket.StatusPolicyViolation, err.Error(), false}
	}
	return &departure{websocket.StatusServiceRestart, "the daemon is away", true}
}
