package proxies

import (
	"cmp"
	"errors"

	"betcode/gateway/portal/wire"
	pb "betcode/proto/betcode/v1"
)

// maxImageMB is told to proxies: images of pages have less.
const maxImageMB = 10

// The texts of failed registrations that proxies know. Those of G1 tell people to log in again over a
// text with "Authentication"; those of G3 end, unless the failure may be repeated.
const (
	notAuthenticated = "Authentication failed - please re-authenticate"
	notAuthorized    = "Session not found or not authorized"
	notReactivated   = "Failed to reactivate session"
	unavailable      = "Server temporarily unavailable - retrying"
)

// registration returns what the daemon is told of a proxy.
func registration(m wire.Register) *pb.ProxyRegister {
	return &pb.ProxyRegister{
		SessionId:         string(m.SessionID),
		Name:              m.SessionName,
		WorkingDirectory:  m.WorkingDirectory,
		Hostname:          value(m.Hostname),
		ClientVersion:     value(m.ClientVersion),
		AgentType:         cmp.Or(m.AgentType, "claude"),
		Facts:             &pb.ProxyUpdate{GitBranch: value(m.GitBranch), RepoUrl: value(m.RepoURL)},
		ReplacesSessionId: string(value(m.ReplacesSessionID)),
		Abilities:         abilities(m.Dialect),
	}
}

// abilities are what proxies of a generation do. Those of G2 ignore an interrupt unless they run in
// an editor.
func abilities(d wire.Dialect) *pb.ProxyAbilities {
	return &pb.ProxyAbilities{
		AcknowledgesFromAgent: d >= wire.G3,
		IgnoresLateDecisions:  d >= wire.G2,
		Interrupts:            d >= wire.G2,
		Terminates:            d >= wire.G2,
	}
}

// refused returns the answer to a registration that has failed.
func refused(session wire.UUID, err error) wire.RegisterAck {
	ack := wire.RegisterAck{SessionID: session, MaxImageMB: maxImageMB}
	why := unavailable
	switch {
	case errors.Is(err, ErrUnauthenticated):
		why = notAuthenticated
	case errors.Is(err, ErrNotFound), errors.Is(err, ErrDenied):
		why = notAuthorized
	case errors.Is(err, ErrEnded):
		why = notReactivated
	case errors.Is(err, ErrInvalid):
		why = err.Error()
	default:
		ack.Retryable = true
	}
	ack.Error = &why
	return ack
}

func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
