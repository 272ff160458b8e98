package grpcapi

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

// TCPOptions say how callers over TCP are met.
type TCPOptions struct {
	// TLS is spoken if it is not nil.
	TLS *tls.Config
	// Names by which the daemon is called, besides localhost and addresses.
	Names []string
	// Environment admits the environment of callers who begin a session and may
	// approve; otherwise it is ignored, and they are told.
	Environment bool
	// Restricted says whether the process at the caller's end may only view. After an
	// error it may not do more either. It is called once per connection; nil = nobody is
	// restricted.
	Restricted func(caller, ours netip.AddrPort) (bool, error)
}

// Introducer is a connection whose listener wants to know that a caller has shown a
// token. Introduce reports whether there is a place for it; it may be called often.
type Introducer interface{ Introduce() bool }

// doorCredentials meet whoever connects: over the Unix socket by the operating
// system's word, over TCP by addresses alone, since a token comes with each call.
type doorCredentials struct {
	unixCredentials
	tcp TCPOptions
	tls credentials.TransportCredentials // nil = in the clear
}

func newDoorCredentials(o Options, log *zerolog.Logger, notes *summaries) credentials.TransportCredentials {
	c := doorCredentials{unixCredentials: newUnixCredentials(o.Restricted, log, notes), tcp: o.TCP}
	if o.TCP.TLS != nil {
		c.tls = credentials.NewTLS(o.TCP.TLS)
	}
	return c
}

// ServerHandshake implements credentials.TransportCredentials.
func (c doorCredentials) ServerHandshake(conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	remote, ok := conn.RemoteAddr().(*net.TCPAddr)
	local, okLocal := conn.LocalAddr().(*net.TCPAddr)
	if !ok || !okLocal {
		return c.unixCredentials.ServerHandshake(conn)
	}
	caller, ours := unmap(remote.AddrPort()), unmap(local.AddrPort())
	peer := Peer{Address: caller, Connection: uuid.NewString(), introduced: &introductions{}, newcomer: &newcomer{}}
	peer.judged = newJudgement(func() restriction { return c.judgeAddress(caller, ours) })
	peer.place, _ = conn.(Introducer)
	level := credentials.NoSecurity
	if c.tls != nil {
		secured, _, err := c.tls.ServerHandshake(conn)
		if err != nil {
			c.log.Debug().Str(fieldTarget, target).Str(fieldSpan, spanConnect).Str(fieldAddress, caller.String()).Err(err).Msg("no TLS with a caller")
			return nil, nil, fmt.Errorf("admit client: %w", err)
		}
		conn, level = secured, credentials.PrivacyAndIntegrity
	}
	return conn, peerInfo{credentials.CommonAuthInfo{SecurityLevel: level}, peer}, nil
}

// judgeAddress asks who the caller at an address descends from.
func (c doorCredentials) judgeAddress(caller, ours netip.AddrPort) restriction {
	if c.tcp.Restricted == nil {
		return unrestricted
	}
	below, err := c.tcp.Restricted(caller, ours)
	return c.note(below, err, func(e *zerolog.Event) *zerolog.Event { return e.Str(fieldAddress, caller.String()) })
}

func unmap(a netip.AddrPort) netip.AddrPort { return netip.AddrPortFrom(a.Addr().Unmap(), a.Port()) }

// ClientHandshake implements credentials.TransportCredentials; it is never used.
func (doorCredentials) ClientHandshake(context.Context, string, net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return nil, nil, errors.New("dial: these credentials are the server's")
}

// Info implements credentials.TransportCredentials.
func (doorCredentials) Info() credentials.ProtocolInfo {
	return credentials.ProtocolInfo{SecurityProtocol: "betcode"}
}

// Clone implements credentials.TransportCredentials.
func (c doorCredentials) Clone() credentials.TransportCredentials { return c }
