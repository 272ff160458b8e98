package proxies

import (
	"bytes"
	"context"
	"io"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/sync/semaphore"

	"betcode/gateway/portal/fragment"
	"betcode/gateway/portal/wire"
)

const (
	// maxRegister bounds the frames of an unregistered proxy.
	maxRegister = 256 << 10
	// frameTimeout is how long a frame may take from its first byte to its last.
	frameTimeout = time.Minute
	// smallFrame is how much of a frame is read before it takes a share of the budget.
	smallFrame = 64 << 10
	// budgetBytes bounds the bytes of all frames that are being read or pending.
	budgetBytes = 64 << 20
)

// Socket is the WebSocket of one proxy. Read is called by one goroutine.
type Socket interface {
	// Read returns the next frame, and how many bytes of the budget it holds.
	Read(ctx context.Context) (text bool, frame []byte, held int, err error)
	// Write sends a text frame.
	Write(ctx context.Context, frame []byte) error
	// Busy reports whether a frame is arriving that Read has not returned yet.
	Busy() bool
	// Ping sends a ping and waits for its pong, which shows that the proxy has read everything before.
	Ping(ctx context.Context) error
	// Registered allows large frames. It is called before the Read that may get one.
	Registered()
	// Close ends the connection with a code and a reason.
	Close(code websocket.StatusCode, reason string)
}

// budget bounds the bytes of all proxies in memory.
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

// Read implements [Socket]. A large frame waits for room in the budget, which bounds the memory of
// all frames. An unregistered proxy takes no budget.
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
	late := time.AfterFunc(frameTimeout, cancel)
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
	late.Reset(frameTimeout)
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
	return fragment.Write(ctx, s.conn, frame)
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

// Close implements [Socket]. It waits a few seconds for the answer of the proxy.
func (s *webSocket) Close(code websocket.StatusCode, reason string) {
	_ = s.conn.Close(code, reason[:min(len(reason), 120)]) // it may be closed already; the frame has room for 123 bytes
	_ = s.conn.CloseNow()
}
