//go:build !windows

package local

import (
	"context"
	"net"

	"betcode/messages"
)

// Dial connects to a daemon. A socket of another user is refused before anything is said,
// where the system tells whose it is.
func Dial(ctx context.Context, address string) (net.Conn, error) {
	if IsPipe(address) {
		return nil, noPipes("dial", address)
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", address)
	if err != nil {
		return nil, err
	}
	if err := mine(conn); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// ListenPipe is for Windows.
func ListenPipe(address string) (net.Listener, error) { return nil, noPipes("listen", address) }

func noPipes(op, address string) error {
	return messages.Errorf(op, messages.Unimplemented, "%s is a named pipe, and this system has none", address).
		WithHint("use the path of a socket, or leave it out")
}
