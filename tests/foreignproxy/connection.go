package foreignproxy

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// connection is one connection of a proxy.
type connection struct {
	proxy  *Proxy
	socket *websocket.Conn
	leave  context.CancelFunc

	frames chan incoming

	mu   sync.Mutex
	out  []any
	more chan struct{}

	answered time.Time // the last heartbeat; guarded by mu of the proxy
	file     frame     // the FileUploadStart of the file that arrives; guarded by mu of the proxy
}

// incoming is a frame, or why there are no more.
type incoming struct {
	text bool
	raw  []byte
	err  error
}

// receive reads frames until the connection ends.
func (c *connection) receive(ctx context.Context) {
	defer close(c.frames)
	for {
		kind, raw, err := c.socket.Read(ctx)
		select {
		case c.frames <- incoming{kind == websocket.MessageText, raw, err}:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// connect opens one connection and serves it until it ends. delay is that of a ServerShutdown. An
// error ends the proxy.
func (p *Proxy) connect(ctx context.Context, again bool) (delay time.Duration, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	socket, _, err := websocket.Dial(ctx, p.o.URL+"/ws/session", nil) //nolint:bodyclose // the library has read it
	if err != nil {
		p.o.Log("connect: %v", err)
		return 0, p.ended(nil, fmt.Sprint(err))
	}
	defer func() { _ = socket.CloseNow() }()
	socket.SetReadLimit(64 << 20)
	c := &connection{proxy: p, socket: socket, leave: cancel, frames: make(chan incoming), more: make(chan struct{}, 1)}
	if err := c.write(ctx, p.register()); err != nil {
		return 0, p.ended(nil, fmt.Sprint(err))
	}
	var beside sync.WaitGroup
	defer beside.Wait()
	defer cancel()
	beside.Go(func() { c.receive(ctx) })
	accepted, err := c.awaitAck(ctx)
	if err != nil || !accepted {
		return 0, errors.Join(err, p.ended(nil, ""))
	}
	c.begin(again)
	beside.Go(func() { c.writeAll(ctx) })
	if p.o.Generation > 1 {
		beside.Go(func() { c.beat(ctx) })
	}
	delay, why, err := c.readAll()
	return delay, errors.Join(err, p.ended(c, why))
}

// ended notes the end of a connection. The error is that of a session that has ended.
func (p *Proxy) ended(c *connection, why string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c != nil && p.current == c {
		p.current = nil
	}
	p.saved = clone(p.state)
	p.seen.Connected = false
	if why != "" {
		p.seen.Closes = append(p.seen.Closes, why)
	}
	p.change()
	return p.crash
}

// awaitAck reads until the RegisterAck, and throws everything else away.
func (c *connection) awaitAck(ctx context.Context) (accepted bool, err error) {
	p := c.proxy
	late := time.NewTimer(10 * p.second)
	defer late.Stop()
	for {
		var in incoming
		select {
		case in = <-c.frames:
		case <-late.C:
			p.o.Log("no RegisterAck")
			return p.o.Generation < 3, nil
		case <-ctx.Done():
			return false, nil
		}
		if in.err != nil {
			p.note(fmt.Sprintf("before the RegisterAck: %v", in.err))
			return false, nil
		}
		f, ok, err := read(p.o.Generation, in.text, in.raw)
		switch {
		case err != nil:
			p.broken(err)
			return false, nil
		case !ok || f.Type != "RegisterAck":
			p.o.Log("thrown away before the RegisterAck: %.200s", in.raw)
			continue
		case f.Success:
			return true, nil
		}
		why := ""
		if f.Error != nil {
			why = *f.Error
		}
		p.mu.Lock()
		p.seen.Refused = append(p.seen.Refused, why)
		p.change()
		p.mu.Unlock()
		if p.o.Generation == 3 && !f.Retryable {
			return false, fmt.Errorf("%w: %s", ErrRefused, why)
		}
		return false, nil
	}
}

func (p *Proxy) note(why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen.Closes = append(p.seen.Closes, why)
	p.change()
}

func (p *Proxy) broken(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen.Broken = append(p.seen.Broken, err.Error())
	p.change()
}

// readAll reads until the connection ends.
func (c *connection) readAll() (delay time.Duration, why string, err error) {
	p := c.proxy
	for in := range c.frames {
		if in.err != nil {
			return 0, fmt.Sprint(in.err), nil //nolint:nilerr // the proxy connects again
		}
		f, ok, err := read(p.o.Generation, in.text, in.raw)
		if err != nil {
			p.broken(err)
			return 0, "", nil
		}
		if !ok {
			continue
		}
		switch f.Type {
		case "SessionTerminated":
			return 0, "", ErrTerminated
		case "ServerShutdown":
			p.mu.Lock()
			p.seen.Shutdowns++
			p.change()
			p.mu.Unlock()
			return max(time.Duration(f.DelayMS)*p.second/1000, 1), "ServerShutdown", nil
		}
		c.handle(f)
	}
	return 0, "", nil
}
