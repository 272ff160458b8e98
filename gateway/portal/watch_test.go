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

// muted is a connection of which nothing arrives any more, without an end.
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

// A page of which nothing arrives any more, not even the answer to a ping, has left.
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

// Pages are told what the sessions that there are have cost, also when the last of them was deleted.
func TestCosts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &lister{}
		acc := &account{Daemon: d}
		for _, c := range []struct {
			costs []float64
			told  bool
			total float64
		}{
			{nil, false, 0}, {[]float64{0}, false, 0}, {[]float64{2, 0}, true, 2}, {[]float64{2, 1}, true, 3}, {[]float64{2, 1}, false, 3}, {[]float64{1}, true, 1}, {nil, true, 0}, {nil, false, 0},
		} {
			d.sessions = nil
			for i, cost := range c.costs {
				d.sessions = append(d.sessions, &pb.SessionSummary{Id: string(rune('a' + i)), TotalCostUsd: cost})
			}
			before := acc.spent
			m, err := acc.costs(t.Context())
			if told := m != before; err != nil || told != c.told || m != nil && m.Total != c.total {
				t.Errorf("%v: told %v %+v %v", c.costs, told, m, err)
			}
			time.Sleep(spendEvery)
		}
	})
}
