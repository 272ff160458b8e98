package auth

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"

	"github.com/google/uuid"
	"github.com/rs/zerolog"
	"google.golang.org/grpc/credentials"
)

// TCPOptions configure connections over TCP.
type TCPOptions struct {
	// TLS encrypts connections; nil = no encryption.
	TLS *tls.Config
	// Names of the daemon, besides localhost and addresses.
	Names []string
	// Environment admits the environment of a caller that begins a session and has the right to
	// approve. Otherwise it is dropped and the client gets a notice.
	Environment bool
	// Restricted reports whether the process at the caller's end may only view. After an
	// error it may only view too. It is called once per connection; nil = no process is
	// restricted.
	Restricted func(caller, ours netip.AddrPort) (bool, error)
}

// Introducer is a connection whose listener reserves places for callers with a valid token.
// Introduce reports whether there is a place for this one; it may be called often.
type Introducer interface{ Introduce() bool }

// transportCredentials identify callers: over the Unix socket by the operating system, over TCP by
// address only, since each call carries a token.
type transportCredentials struct {
	unixCredentials
	tcp TCPOptions
	tls credentials.TransportCredentials // nil = no encryption
}

func newTransportCredentials(o Options, log *zerolog.Logger, notes *summaries) credentials.TransportCredentials {
	c := transportCredentials{unixCredentials: newUnixCredentials(o.Restricted, log, notes), tcp: o.TCP}
	if o.TCP.TLS != nil {
		c.tls = credentials.NewTLS(o.TCP.TLS)
	}
	return c
}

// ServerHandshake implements credentials.TransportCredentials.
func (c transportCredentials) ServerHandshake(conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	remote, ok := conn.RemoteAddr().(*net.TCPAddr)
	local, okLocal := conn.LocalAddr().(*net.TCPAddr)
	if !ok || !okLocal {
		return c.unixCredentials.ServerHandshake(conn)
	}
	caller, ours := unmap(remote.AddrPort()), unmap(local.AddrPort())
	peer := Peer{Address: caller, Connection: uuid.NewString(), arrivals: &arrivals{}, newcomer: &newcomer{}}
	peer = peer.RestrictedBy(func() Restriction { return c.restrictionOf(caller, ours) })
	peer.place, _ = conn.(Introducer)
	level := credentials.NoSecurity
	if c.tls != nil {
		secured, _, err := c.tls.ServerHandshake(conn)
		if err != nil {
			c.log.Debug().Str(FieldTarget, Target).Str(FieldSpan, spanConnect).Str(fieldAddress, caller.String()).Err(err).Msg("tls handshake failed")
			return nil, nil, fmt.Errorf("admit client: %w", err)
		}
		conn, level = secured, credentials.PrivacyAndIntegrity
	}
	return conn, AuthInfo{credentials.CommonAuthInfo{SecurityLevel: level}, peer}, nil
}

// restrictionOf returns the restriction of the process at an address.
func (c transportCredentials) restrictionOf(caller, ours netip.AddrPort) Restriction {
	if c.tcp.Restricted == nil {
		return Unrestricted
	}
	below, err := c.tcp.Restricted(caller, ours)
	return c.note(below, err, func(e *zerolog.Event) *zerolog.Event { return e.Str(fieldAddress, caller.String()) })
}

func unmap(a netip.AddrPort) netip.AddrPort { return netip.AddrPortFrom(a.Addr().Unmap(), a.Port()) }

// ClientHandshake implements credentials.TransportCredentials; it is never used.
func (transportCredentials) ClientHandshake(context.Context, string, net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return nil, nil, errors.New("dial: these credentials are the server's")
}

// Info implements credentials.TransportCredentials.
func (transportCredentials) Info() credentials.ProtocolInfo {
	return credentials.ProtocolInfo{SecurityProtocol: "betcode"}
}

// Clone implements credentials.TransportCredentials.
func (c transportCredentials) Clone() credentials.TransportCredentials { return c }
