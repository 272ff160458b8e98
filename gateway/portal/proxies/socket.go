package proxies

import (
	"bytes"
	"context"
	"io"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/sync/semaphore"

	"betcode/gateway/portal/wire"
)

const (
	// maxRegister bounds the frames of a proxy that has not registered.
	maxRegister = 256 << 10
	// framePatience is how long a frame may take from its first byte to its last.
	framePatience = time.Minute
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
	// Busy reports whether a frame has begun to arrive that Read has not returned.
	Busy() bool
	// Ping sends a ping and waits for its pong: then the proxy has read everything before.
	Ping(ctx context.Context) error
	// Registered allows the proxy large frames. It is called before the Read that may get one.
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
	conn    *websocket.Conn
	budget  budget
	known   bool // the proxy has registered
	reading atomic.Bool
}

func newWebSocket(c *websocket.Conn, b budget) *webSocket {
	c.SetReadLimit(maxRegister)
	return &webSocket{conn: c, budget: b}
}

// Read implements [Socket]. A large frame waits for room in the budget, so that many of them together
// take no more memory than the budget has. A proxy that has not registered takes nothing of it.
func (s *webSocket) Read(ctx context.Context) (text bool, frame []byte, held int, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	kind, in, err := s.conn.Reader(ctx)
	if err != nil {
		return false, nil, 0, err
	}
	s.reading.Store(true)
	defer s.reading.Store(false)
	text = kind == websocket.MessageText
	late := time.AfterFunc(framePatience, cancel)
	defer late.Stop()
	if !s.known {
		frame, err = io.ReadAll(in)
		return text, frame, 0, err
	}
	if frame, err = io.ReadAll(io.LimitReader(in, smallFrame)); err != nil {
		return false, nil, 0, err
	}
	late.Stop()
	held = len(frame)
	large := held == smallFrame
	if large {
		held = wire.MaxFrame
	}
	if err := s.budget.Acquire(ctx, int64(held)); err != nil {
		return false, nil, 0, err
	}
	if !large {
		return text, frame, held, nil
	}
	late.Reset(framePatience)
	whole := bytes.NewBuffer(frame)
	if _, err := whole.ReadFrom(in); err != nil {
		s.budget.free(held)
		return false, nil, 0, err
	}
	s.budget.free(held - whole.Len())
	return text, whole.Bytes(), whole.Len(), nil
}

// Write implements [Socket].
func (s *webSocket) Write(ctx context.Context, frame []byte) error {
	return s.conn.Write(ctx, websocket.MessageText, frame)
}

// Busy implements [Socket].
func (s *webSocket) Busy() bool { return s.reading.Load() }

// Ping implements [Socket].
func (s *webSocket) Ping(ctx context.Context) error { return s.conn.Ping(ctx) }

// Registered implements [Socket].
func (s *webSocket) Registered() {
	s.known = true
	s.conn.SetReadLimit(wire.MaxFrame)
}

// Close implements [Socket]. The proxy has a few seconds to answer.
func (s *webSocket) Close(code websocket.StatusCode, reason string) {
	_ = s.conn.Close(code, reason[:min(len(reason), 120)]) // it may be closed; the frame has room for 123 bytes
	_ = s.conn.CloseNow()
}
