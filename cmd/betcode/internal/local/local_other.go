//go:build !windows

package local

import (
	"context"
	"net"

	"betcode/messages"
)

func dial(ctx context.Context, address string) (net.Conn, error) {
	if IsPipe(address) {
		return nil, noPipes("dial", address)
	}
	var d net.Dialer
	return d.DialContext(ctx, "unix", address)
}

// ListenPipe fails: only Windows has named pipes.
func ListenPipe(address string) (net.Listener, error) { return nil, noPipes("listen", address) }

func noPipes(op, address string) error {
	return messages.Errorf(op, messages.Unimplemented, "%s is a named pipe, and this system has none", address).
		WithHint("give the path of a socket, or no address")
}
