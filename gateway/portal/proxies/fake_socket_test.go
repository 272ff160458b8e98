package proxies

import (
	"context"
	"io"
	"sync"

	"github.com/coder/websocket"
)

type fakeFrame struct {
	text  bool
	bytes []byte
}

// fakeSocket is the socket of a proxy.
type fakeSocket struct {
	log    func(string, ...any)
	name   string
	in     chan fakeFrame
	closed chan struct{}
	once   sync.Once

	mu    sync.Mutex
	pongs chan struct{} // closed when pings are answered
}

func (f *fakeSocket) Read(ctx context.Context) (text bool, frame []byte, held int, err error) {
	select {
	case in := <-f.in:
		return in.text, in.bytes, 0, nil
	case <-f.closed:
		return false, nil, 0, io.EOF
	case <-ctx.Done():
		return false, nil, 0, ctx.Err()
	}
}

func (f *fakeSocket) Write(_ context.Context, frame []byte) error {
	f.log("%s< %s", f.name, frame)
	return nil
}

func (f *fakeSocket) Ping(ctx context.Context) error {
	f.log("%s< (ping)", f.name)
	f.mu.Lock()
	pongs := f.pongs
	f.mu.Unlock()
	select {
	case <-pongs:
		return nil
	case <-f.closed:
		return io.EOF
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (f *fakeSocket) pong() {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.pongs)
	f.pongs = make(chan struct{})
}

func (f *fakeSocket) Registered() {}

func (f *fakeSocket) Busy() bool { return false }

func (f *fakeSocket) Close(code websocket.StatusCode, reason string) {
	f.once.Do(func() {
		f.log("%s< (closed %d: %s)", f.name, code, reason)
		close(f.closed)
	})
}

func (f *fakeSocket) hangUp() { f.once.Do(func() { close(f.closed) }) }
