// Package fragment writes text messages to WebSockets in fragments.
//
// Peers refuse frames above 16 MiB and take messages up to 64 MiB: both are limits of the library that proxies and backends in the
// field use. A frame also holds up the answer to a ping until it is written, and a connection whose answer takes five seconds is
// closed: a long line over a slow network would never arrive. Between two fragments a ping is answered.
package fragment

import (
	"context"

	"github.com/coder/websocket"
)

// Size is the length of a fragment, in bytes. At 128 kbit/s it takes four seconds.
const Size = 64 << 10

// Write writes a text message. It fails if the connection is closed or ctx ends. It closes the connection then, because nothing can
// follow a part of a message. Messages of concurrent calls do not mix.
func Write(ctx context.Context, conn *websocket.Conn, text []byte) (err error) {
	if len(text) <= Size {
		return conn.Write(ctx, websocket.MessageText, text)
	}
	defer func() {
		if err != nil {
			_ = conn.CloseNow() // it may be closed already
		}
	}()
	message, err := conn.Writer(ctx, websocket.MessageText)
	if err != nil {
		return err
	}
	for len(text) > 0 {
		n := min(len(text), Size)
		if _, err := message.Write(text[:n]); err != nil {
			return err
		}
		text = text[n:]
	}
	return message.Close()
}
