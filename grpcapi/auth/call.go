package auth

import (
	"cmp"
	"context"
	"net/netip"
	"time"

	"github.com/google/uuid"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"

	"betcode/grpcapi/wire"
	"betcode/messages"
)

// ClientIDKey is the metadata key of a client's id: printable ASCII without spaces, at most 128 characters.
const ClientIDKey = "x-client-id"

// ClientTypeKey is the metadata key of a client's type, which other clients see: "cli",
// "flutter". It has the form of an id and is optional.
const ClientTypeKey = "x-client-type"

// maxShownType bounds the part of a generated id that comes from the client's type.
const maxShownType = 64

// Peer is what the transport knows about a caller.
type Peer struct {
	PID        int            // of the process that connected to the Unix socket
	UID        int            // of that process
	Address    netip.AddrPort // of a caller over TCP; else not valid
	Connection string         // random; the same for all calls of a connection

	ancestry *ancestry // of the process at the other end; nil = not restricted

	// Over TCP; else nil.
	arrivals *arrivals
	newcomer *newcomer
	place    Introducer // may be nil
}

// AuthInfo is a [Peer] in the form that gRPC keeps with a connection.
type AuthInfo struct {
	credentials.CommonAuthInfo
	Peer
}

// RestrictedBy returns the peer with a restriction, which ask determines when it is needed.
func (p Peer) RestrictedBy(ask func() Restriction) Peer {
	p.ancestry = newAncestry(ask)
	return p
}

// AuthType implements credentials.AuthInfo.
func (p Peer) AuthType() string {
	if p.Address.IsValid() {
		return "tcp"
	}
	return "unix"
}

// PeerOf returns what the transport knows about the caller of ctx.
func PeerOf(ctx context.Context) (Peer, bool) {
	p, ok := peer.FromContext(ctx)
	if !ok {
		return Peer{}, false
	}
	info, ok := p.AuthInfo.(AuthInfo)
	return info.Peer, ok
}

// Call is the state of one call while it is served. The handler's goroutine owns it.
type Call struct {
	Client  messages.ClientID
	Type    string             // of the client, as it reports; may be empty
	Session messages.SessionID // for the log; empty if the call is about no session
	Key     string             // idempotency key, a UUID; empty if the call has none
	Digest  []byte             // of the request, if the call has a key
	Rights  messages.Rights    // of the caller, once it is admitted

	// Person is the person of the caller's token, or the name of a token without a person; empty = the daemon's user,
	// also with a token that it has made for a proxy.
	Person string

	// Limited is set if the caller sees only sessions of which Person is a member. Handlers of requests
	// without a session consider only those.
	Limited bool

	// Fleet is the session on whose behalf its fleet server calls; empty for every other caller.
	// Handlers of calls that [messages.MayFleet] allows are limited to its descendants.
	Fleet messages.SessionID

	EnvironmentDropped bool // from the request that begins a session: it came over TCP

	method       string
	stream       bool
	clientStream bool            // the client may send more than one request
	probe        bool            // the method needs no scope
	refused      bool            // by check, which has logged it
	token        string          // name of the caller's token; empty without one
	revoked      <-chan struct{} // closed when the token is revoked; nil without one
	expires      time.Time       // of the token; zero = never
}

type callKey struct{}

// CallOf returns the call that ctx belongs to.
func CallOf(ctx context.Context) *Call {
	if c, ok := ctx.Value(callKey{}).(*Call); ok {
		return c
	}
	return &Call{Client: messages.ClientID(uuid.NewString())}
}

// newCall reads the client's id and type from the metadata. For a client without an id it derives one from the type and
// the connection, which is shown to people as the type ([messages.ClientID.Shown]).
func newCall(ctx context.Context, method string, stream bool) (context.Context, error) {
	c := &Call{method: method, stream: stream}
	if types := metadata.ValueFromIncomingContext(ctx, ClientTypeKey); len(types) > 0 && validClientID(types[0]) {
		c.Type = types[0]
	}
	switch ids := metadata.ValueFromIncomingContext(ctx, ClientIDKey); {
	case len(ids) > 0 && !validClientID(ids[0]):
		return nil, wire.Invalid("identify client", "Send printable ASCII without spaces, at most 128 characters.",
			"the metadata %s is not usable", ClientIDKey)
	case len(ids) > 0:
		c.Client = messages.ClientID(ids[0])
	default:
		connection := uuid.NewString()
		if p, ok := PeerOf(ctx); ok {
			connection = p.Connection
		}
		c.Client = messages.ClientID(cmp.Or(c.Type[:min(len(c.Type), maxShownType)], "client") + "#" + connection)
	}
	return context.WithValue(ctx, callKey{}, c), nil
}

// Token returns the name of the caller's token and when it expires; empty for a caller without
// one, zero for never.
func (c *Call) Token() (name string, expires time.Time) { return c.token, c.expires }

// Observes reports whether the caller is attached as an observer: it asks for that, or it may not
// write and so must not hold the input lock.
func (c *Call) Observes(observer bool) bool { return observer || !c.Rights.Has(messages.MayControl) }

func validClientID(id string) bool {
	if id == "" || len(id) > 128 {
		return false
	}
	for _, c := range []byte(id) {
		if c <= ' ' || c > '~' {
			return false
		}
	}
	return true
}
