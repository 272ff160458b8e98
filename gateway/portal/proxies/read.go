package proxies

import (
	"context"
	"fmt"
	"reflect"

	"golang.org/x/time/rate"

	"betcode/gateway/portal/wire"
)

// The rates of a proxy's frames. A large frame counts once for each framePiece bytes.
const (
	linesASecond  = 5000 // of the agent
	framesASecond = 200  // others
	framesAtOnce  = 2000
	framePiece    = 64 << 10
)

// mostIgnored bounds the kinds of frames that are logged as ignored, once each.
const mostIgnored = 32

// read reads frames until the connection ends.
func (p *proxy) read(ctx context.Context) {
	lines, others := rate.NewLimiter(linesASecond, linesASecond), rate.NewLimiter(framesASecond, framesAtOnce)
	for p.over.Err() == nil {
		text, frame, held, err := p.socket.Read(ctx)
		if err != nil {
			p.depart(errClosed)
			return
		}
		p.framesRead.Add(1)
		p.busy.Store(true)
		limit := others
		if p.frame(text, frame, held) {
			limit = lines
		}
		_ = limit.WaitN(p.over, 1+len(frame)/framePiece) // the connection has ended
		p.busy.Store(false)
	}
}

// frame handles one frame, which holds some bytes of the budget. It reports whether that is a line of the agent.
func (p *proxy) frame(text bool, frame []byte, held int) (line bool) {
	if !text {
		p.budget.free(held)
		p.ignore("binary frame", "frames are text")
		return false
	}
	m, err := wire.Decode(wire.FromProxy, frame)
	if err != nil {
		p.budget.free(held)
		p.ignore("unreadable frame", err.Error())
		return false
	}
	if _, ok := m.(wire.Heartbeat); ok {
		p.budget.free(held)
		p.heartbeat()
		return false
	}
	if r, ok := m.(wire.FileUploadResult); ok && p.uploaded(r) {
		p.budget.free(held)
		return false
	}
	p.mu.Lock()
	r, why := p.translator.request(m)
	p.mu.Unlock()
	if r == nil {
		p.budget.free(held)
		p.ignore(kindOf(m), why)
		return false
	}
	if err := p.link.send(p.over, r, held); err != nil {
		p.budget.free(held)
		p.depart(errStuck) // no effect if the connection has ended
	}
	return r.GetOutput() != nil
}

// heartbeat answers a heartbeat of G2 or G3. Proxies of G1 answer every heartbeat, so an answer would
// be answered without end.
func (p *proxy) heartbeat() {
	if p.translator.dialect >= wire.G2 {
		p.write(wire.Heartbeat{})
	}
}

// ignore logs that frames of a kind have no effect, once per connection.
func (p *proxy) ignore(kind, why string) {
	if p.ignored[kind] || len(p.ignored) >= mostIgnored {
		return
	}
	p.ignored[kind] = true
	p.log.Info().Str("frame", kind).Str("why", why).Msg("frame ignored")
}

// kindOf returns the type of a message for the log.
func kindOf(m wire.Message) string {
	if u, ok := m.(wire.Unknown); ok {
		return fmt.Sprintf("%.50q", u.Type)
	}
	return reflect.TypeOf(m).Name()
}
