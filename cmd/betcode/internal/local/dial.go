package local

import (
	"context"
	"net"
)

// Dial connects to a daemon. What another user has put where the daemon would be is
// refused before anything is said, where the system tells whose it is.
func Dial(ctx context.Context, address string) (net.Conn, error) {
	conn, err := dial(ctx, address)
	if err != nil {
		return nil, err
	}
	if err := mine(conn); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}
