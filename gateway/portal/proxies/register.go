package proxies

import (
	"cmp"
	"errors"

	"betcode/gateway/portal/wire"
	pb "betcode/proto/betcode/v1"
)

// maxImageMB is announced to proxies; images of pages are smaller.
const maxImageMB = 10

// The texts of failed registrations that proxies know. On a text with "Authentication", proxies of G1
// ask people to log in again. Proxies of G3 end, unless the failure is retryable.
const (
	notAuthenticated = "Authentication failed - please re-authenticate"
	notAuthorized    = "Session not found or not authorized"
	notReactivated   = "Failed to reactivate session"
	unavailable      = "Server temporarily unavailable - retrying"
)

// registration returns the registration at the daemon.
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

// abilities returns the abilities of proxies of a generation. Those of G2 ignore an interrupt
// unless they run in an editor.
func abilities(d wire.Dialect) *pb.ProxyAbilities {
	return &pb.ProxyAbilities{
		AcknowledgesFromAgent: d >= wire.G3,
		IgnoresLateDecisions:  d >= wire.G2,
		Interrupts:            d >= wire.G2,
		Terminates:            d >= wire.G2,
	}
}

// refused returns the answer to a failed registration.
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
