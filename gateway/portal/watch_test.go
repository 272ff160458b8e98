package portal

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"betcode/gateway/portal/wire"
	pb "betcode/proto/betcode/v1"
)

// lister is a daemon that lists sessions.
type lister struct {
	Daemon
	sessions []*pb.SessionSummary
}

func (l *lister) Sessions(context.Context) ([]*pb.SessionSummary, error) { return l.sessions, nil }

// muted is a connection that stops delivering data without an end.
type muted struct {
	net.Conn
	now atomic.Bool
}

func (m *muted) Write(p []byte) (int, error) {
	if m.now.Load() {
		return len(p), nil
	}
	return m.Conn.Write(p)
}

// A page that sends nothing any more, not even pongs, is disconnected.
func TestSilentPage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, _ := keeper()
		ours, theirs := net.Pipe()
		conn := &muted{Conn: ours}
		browser, portal := upgraded(t, conn, theirs)
		ctx, cancel := context.WithCancel(t.Context())
		p := &page{Server: s, socket: portal, dialect: wire.G3, leave: cancel, account: &account{Daemon: &lister{}}}
		go func() { _, _, _ = portal.Read(ctx) }()  // pongs
		go func() { _, _, _ = browser.Read(ctx) }() // pings, which it answers
		watched := make(chan struct{})
		go func() { p.watch(ctx); close(watched) }()
		time.Sleep(10*pingEvery + time.Second)
		if ctx.Err() != nil {
			t.Fatal("a page that answers has left")
		}
		conn.now.Store(true)
		silent := time.Now()
		<-watched
		if took := time.Since(silent); took > pingEvery+writeTimeout {
			t.Errorf("the page has left after %s", took)
		}
	})
}

// Pages get the costs of the existing sessions, also after the last of them was deleted.
func TestCosts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &lister{}
		acc := &account{Daemon: d}
		for _, c := range []struct {
			costs    []float64
			received bool
			total    float64
		}{
			{nil, false, 0}, {[]float64{0}, false, 0}, {[]float64{2, 0}, true, 2}, {[]float64{2, 1}, true, 3}, {[]float64{2, 1}, false, 3}, {[]float64{1}, true, 1}, {nil, true, 0}, {nil, false, 0},
		} {
			d.sessions = nil
			for i, cost := range c.costs {
				d.sessions = append(d.sessions, &pb.SessionSummary{Id: string(rune('a' + i)), TotalCostUsd: cost})
			}
			before := acc.spent
			m, err := acc.costs(t.Context())
			if received := m != before; err != nil || received != c.received || m != nil && m.Total != c.total {
				t.Errorf("%v: received %v %+v %v", c.costs, received, m, err)
			}
			time.Sleep(spendEvery)
		}
	})
}
