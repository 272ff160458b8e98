package local

import (
	"context"
	"net"
)

// Dial connects to a daemon. If another user listens at the address, Dial refuses the
// connection before it sends anything. On systems other than Linux and Windows the owner
// is not known, and Dial refuses nothing.
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
