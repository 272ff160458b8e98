package portal

import (
	"context"
	"errors"
	"time"

	"github.com/coder/websocket"

	"betcode/gateway/portal/wire"
)

// watch pings the page, sends the costs of sessions, and closes the connection when the token of
// its caller or the gateway ends.
func (p *page) watch(ctx context.Context) {
	ping, spend := time.NewTicker(pingEvery), time.NewTicker(spendEvery)
	defer ping.Stop()
	defer spend.Stop()
	p.spend(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.ended.Done():
			last, cancel := context.WithTimeout(ctx, farewell)
			p.send(last, wire.ServerShutdown{Reason: shutdownText, ReconnectDelayMS: shutdownDelay})
			p.socket.Close(websocket.StatusGoingAway, shutdownText)
			cancel()
			p.leave()
			return
		case <-ping.C:
			alive, cancel := context.WithTimeout(ctx, writeTimeout)
			if p.socket.Ping(alive) != nil {
				p.leave()
			}
			cancel()
		case <-spend.C:
			p.spend(ctx)
		}
	}
}

// spend sends the costs of sessions, and the facts of the page's session, if they have changed. It
// closes the page if the daemon no longer accepts the token, and ignores a daemon that is away.
func (p *page) spend(ctx context.Context) {
	m, err := p.account.costs(ctx)
	if errors.Is(err, ErrUnauthenticated) {
		p.expire(ctx)
		return
	}
	if err == nil && m != nil && m != p.spent {
		p.spent = m
		p.send(ctx, *m)
	}
	p.mu.Lock()
	v := p.view
	p.mu.Unlock()
	if v == nil {
		return
	}
	if s := p.account.summary(v.session); s != nil {
		v.sendFacts(ctx, s)
	}
}

// expire closes a page whose token has ended.
func (p *page) expire(ctx context.Context) {
	p.send(ctx, wire.ErrorMessage{Message: "Your login has ended; log in again"})
	p.socket.Close(websocket.StatusPolicyViolation, "")
	p.leave()
}
