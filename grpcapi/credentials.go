package grpcapi

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"

	"github.com/google/uuid"
	"github.com/rs/zerolog"
	"google.golang.org/grpc/credentials"
)

// unixCredentials let in whoever connects over a Unix socket as the user that
// runs the daemon, and nobody else. The operating system says who that is; no
// byte of the connection is spent on it, so clients use insecure credentials.
//
// Root may connect only to a daemon of root: root needs no help of ours to look
// inside, and a service of root's that is tricked into connecting gets none.
//
// Where the system is not asked (peercred_other.go) the socket's directory, which
// nobody else may enter, is all the protection there is, and on Windows the named pipe's
// security descriptor.
type unixCredentials struct {
	uid        int
	restricted func(pid int) (bool, error) // see Options
	log        *zerolog.Logger
	notes      *summaries // of connections, see judge
}

func newUnixCredentials(restricted func(pid int) (bool, error), log *zerolog.Logger, notes *summaries) unixCredentials {
	return unixCredentials{uid: os.Geteuid(), restricted: restricted, log: log, notes: notes}
}

// peerInfo is a [Peer] as grpc wants it.
type peerInfo struct {
	credentials.CommonAuthInfo
	Peer
}

// ServerHandshake implements credentials.TransportCredentials.
func (c unixCredentials) ServerHandshake(conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	peer, caller, err := peerCredentials(conn)
	if err != nil {
		return nil, nil, fmt.Errorf("admit client: %w", err)
	}
	if peer.UID != c.uid {
		caller.close()
		if !c.notes.add(fmt.Sprintf("user %d", peer.UID), refusal{span: spanConnect, code: "another user"}) {
			return nil, nil, fmt.Errorf("admit client: user %d is not the user %d who runs this daemon", peer.UID, c.uid)
		}
		c.log.Warn().Str(fieldTarget, target).Str(fieldSpan, spanConnect).
			Int(fieldUID, peer.UID).Int(fieldPID, peer.PID).Msg("connection of another user refused")
		return nil, nil, fmt.Errorf("admit client: user %d is not the user %d who runs this daemon", peer.UID, c.uid)
	}
	peer.judged = newJudgement(func() restriction {
		defer caller.close()
		return c.judge(peer.PID, caller)
	})
	if c.restricted == nil || !caller.lasts() {
		peer.judged.get() // later the pid may mean another process
	} else {
		conn = closing{conn, func() { peer.judged.drop(caller.close) }}
	}
	peer.Connection = uuid.NewString()
	return conn, peerInfo{credentials.CommonAuthInfo{SecurityLevel: credentials.PrivacyAndIntegrity}, peer}, nil
}

// ClientHandshake implements credentials.TransportCredentials; it is never used.
func (unixCredentials) ClientHandshake(context.Context, string, net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return nil, nil, errors.New("dial: these credentials are the server's")
}

// Info implements credentials.TransportCredentials.
func (unixCredentials) Info() credentials.ProtocolInfo {
	return credentials.ProtocolInfo{SecurityProtocol: "unix"}
}

// Clone implements credentials.TransportCredentials.
func (c unixCredentials) Clone() credentials.TransportCredentials { return c }

// OverrideServerName implements credentials.TransportCredentials.
func (unixCredentials) OverrideServerName(string) error { return nil }

// unknownTransport is for connections of which nothing tells who is there.
func unknownTransport(conn net.Conn) error {
	return fmt.Errorf("admit %T: only local connections are served without a token", conn)
}
