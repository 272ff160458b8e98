package grpcapi

import (
	"context"
	"net/netip"
	"time"

	"github.com/google/uuid"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"

	"betcode/grpcapi/wire"
	"betcode/messages"
)

// ClientIDKey is the metadata key under which a client says who it is. It wants
// printable ASCII without spaces, at most 128 characters.
const ClientIDKey = "x-client-id"

// ClientTypeKey is the metadata key under which a client says what kind of client it
// is, for others to see: "cli", "flutter". As ClientIDKey; optional.
const ClientTypeKey = "x-client-type"

// Peer is what the transport knows of a caller. It is the AuthInfo of every
// connection.
type Peer struct {
	PID        int            // of the process that connected to the Unix socket
	UID        int            // of the same
	Address    netip.AddrPort // of a caller over TCP; else not valid
	Connection string         // made up; two calls over one connection have the same

	judged     *judgement     // of the process at the other end; nil = not restricted
	introduced *introductions // over TCP
	newcomer   *newcomer      // over TCP
	place      Introducer     // over TCP, may be nil
}

// AuthType implements credentials.AuthInfo.
func (p Peer) AuthType() string {
	if p.Address.IsValid() {
		return "tcp"
	}
	return "unix"
}

// PeerOf returns what is known of the caller of ctx.
func PeerOf(ctx context.Context) (Peer, bool) {
	p, ok := peer.FromContext(ctx)
	if !ok {
		return Peer{}, false
	}
	info, ok := p.AuthInfo.(peerInfo)
	return info.Peer, ok
}

// call is what is known about one call while it is served. The handler's
// goroutine owns it.
type call struct {
	client  messages.ClientID
	kind    string             // of client, as it says itself; may be empty
	session messages.SessionID // for the log; empty if none is concerned
	method  string
	stream  bool
	key     string // the client's name for the call, a UUID; empty if it has none
	digest  []byte // of its request, if it has a name

	rights  messages.Rights // of the caller, when it has been let in
	token   string          // name of the token that it came with; empty over the Unix socket
	revoked <-chan struct{} // closed when that is revoked; nil without one
	expires time.Time       // when it expires; zero = never

	clientStream       bool // more than one request may come
	probe              bool // it needs no scope
	turnedAway         bool // at the door: it is written down already
	environmentDropped bool // of the request that begins a session, see [admitted.screenEnvironment]
}

type callKey struct{}

// callOf returns the call that ctx belongs to.
func callOf(ctx context.Context) *call {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		return c
	}
	return &call{client: messages.ClientID(uuid.NewString())}
}

// newCall reads who calls from the metadata. A client that does not say gets an
// id for as long as its connection lasts, or failing that its stream.
func newCall(ctx context.Context, method string, stream bool) (context.Context, error) {
	c := &call{method: method, stream: stream}
	switch ids := metadata.ValueFromIncomingContext(ctx, ClientIDKey); {
	case len(ids) > 0 && !validClientID(ids[0]):
		return nil, wire.Invalid("identify client", "Send printable ASCII without spaces, at most 128 characters.",
			"the metadata %s is not usable", ClientIDKey)
	case len(ids) > 0:
		c.client = messages.ClientID(ids[0])
	default:
		c.client = messages.ClientID(uuid.NewString())
		if p, ok := PeerOf(ctx); ok {
			c.client = messages.ClientID(p.Connection)
		}
	}
	if kinds := metadata.ValueFromIncomingContext(ctx, ClientTypeKey); len(kinds) > 0 && validClientID(kinds[0]) {
		c.kind = kinds[0]
	}
	return context.WithValue(ctx, callKey{}, c), nil
}

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
