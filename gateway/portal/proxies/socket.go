package proxies

import (
	"bytes"
	"context"
	"io"

	"github.com/coder/websocket"
	"golang.org/x/sync/semaphore"

	"betcode/gateway/portal/wire"
)

const (
	// maxRegister bounds the frames of a proxy that has not registered.
	maxRegister = 256 << 10
	// smallFrame is how much of a frame is read before it has a share of the budget.
	smallFrame = 64 << 10
	// budgetBytes bounds the bytes of all frames that are read or pending.
	budgetBytes = 64 << 20
)

// Socket is the WebSocket of one proxy. Read is called by one goroutine.
type Socket interface {
	// Read returns the next frame, and how many bytes of the budget it holds.
	Read(ctx context.Context) (text bool, frame []byte, held int, err error)
	// Write sends a text frame.
	Write(ctx context.Context, frame []byte) error
	// Ping sends a ping and waits for its pong: then the proxy has read everything before.
	Ping(ctx context.Context) error
	// Registered allows the proxy large frames.
	Registered()
	// Close says why the connection ends, and ends it.
	Close(code websocket.StatusCode, reason string)
}

// budget bounds the bytes that all proxies have in memory.
type budget struct{ *semaphore.Weighted }

func newBudget() budget { return budget{semaphore.NewWeighted(budgetBytes)} }

func (b budget) free(bytes int) {
	if bytes > 0 {
		b.Release(int64(bytes))
	}
}

// webSocket is a [Socket] of a real connection.
type webSocket struct {
	conn   *websocket.Conn
	budget budget
}

// Read implements [Socket]. A large frame waits for room in the budget, so that many of them together
// take no more memory than the budget has.
func (s webSocket) Read(ctx context.Context) (text bool, frame []byte, held int, err error) {
	kind, in, err := s.conn.Reader(ctx)
	if err != nil {
		return false, nil, 0, err
	}
	frame, err = io.ReadAll(io.LimitReader(in, smallFrame))
	if err != nil {
		return false, nil, 0, err
	}
	held = len(frame)
	if held == smallFrame {
		held = wire.MaxFrame
	}
	if err := s.budget.Acquire(ctx, int64(held)); err != nil {
		return false, nil, 0, err
	}
	if held == wire.MaxFrame {
		whole := bytes.NewBuffer(frame)
		if _, err := whole.ReadFrom(in); err != nil {
			s.budget.free(held)
			return false, nil, 0, err
		}
		frame = whole.Bytes()
		s.budget.free(held - len(frame))
		held = len(frame)
	}
	return kind == websocket.MessageText, frame, held, nil
}

// Write implements [Socket].
func (s webSocket) Write(ctx context.Context, frame []byte) error {
	return s.conn.Write(ctx, websocket.MessageText, frame)
}

// Ping implements [Socket].
func (s webSocket) Ping(ctx context.Context) error { return s.conn.Ping(ctx) }

// Registered implements [Socket].
func (s webSocket) Registered() { s.conn.SetReadLimit(wire.MaxFrame) }

// Close implements [Socket]. The proxy has a few seconds to answer.
func (s webSocket) Close(code websocket.StatusCode, reason string) {
	_ = s.conn.Close(code, reason[:min(len(reason), 120)]) // it may be closed; the frame has room for 123 bytes
	_ = s.conn.CloseNow()
}
