package auth

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

// unixCredentials admit only connections over a Unix socket from processes of the daemon's user.
// The operating system reports the user without a handshake, so clients use insecure credentials.
//
// Root may connect only to a daemon of root. This protects services of root that are tricked into
// connecting; root can inspect the daemon by other means.
//
// On systems without peer credentials (peercred_other.go) the mode of the socket's directory is the
// only protection; on Windows it is the security descriptor of the named pipe.
type unixCredentials struct {
	uid        int
	restricted func(pid int) (bool, error) // see [Options]
	log        *zerolog.Logger
	notes      *summaries // of connections, see note
}

func newUnixCredentials(restricted func(pid int) (bool, error), log *zerolog.Logger, notes *summaries) unixCredentials {
	return unixCredentials{uid: os.Geteuid(), restricted: restricted, log: log, notes: notes}
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
			return nil, nil, fmt.Errorf("admit client: user %d may not connect to the daemon of user %d", peer.UID, c.uid)
		}
		c.log.Warn().Str(FieldTarget, Target).Str(FieldSpan, spanConnect).
			Int(fieldUID, peer.UID).Int(fieldPID, peer.PID).Msg("connection of another user refused")
		return nil, nil, fmt.Errorf("admit client: user %d may not connect to the daemon of user %d", peer.UID, c.uid)
	}
	peer = peer.RestrictedBy(func() Restriction {
		defer caller.close()
		return c.restriction(peer.PID, caller)
	})
	if c.restricted == nil || !caller.lasts() {
		peer.ancestry.get() // later the pid may have been reused
	} else {
		conn = closing{conn, func() { peer.ancestry.drop(caller.close) }}
	}
	peer.Connection = uuid.NewString()
	return conn, AuthInfo{credentials.CommonAuthInfo{SecurityLevel: credentials.PrivacyAndIntegrity}, peer}, nil
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

// unknownTransport refuses a connection without peer credentials.
func unknownTransport(conn net.Conn) error {
	return fmt.Errorf("admit %T: only local connections are served without a token", conn)
}
