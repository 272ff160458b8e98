//go:build linux

package bench

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// browsers is one session that many pages of the portal show, some of each generation.
var browsers = pageLoad{pages: 500, logins: 1, lines: 300, rate: 30}

// BenchmarkPages measures whether all pages of one session keep up: those of one login, and those of
// many.
func BenchmarkPages(b *testing.B) {
	b.Run("login", func(b *testing.B) { showPages(b, browsers) })
	b.Run("logins", func(b *testing.B) {
		each := browsers
		each.logins = each.pages
		showPages(b, each)
	})
}

func showPages(b *testing.B, l pageLoad) {
	if testing.Short() {
		l.lines /= 10
	}
	for b.Loop() {
		newPageRig(b, load{sessions: 1, clients: 1}, l).run().report(b)
	}
}

// pageLoad is what pages are shown: so many lines of an agent, so many a second.
type pageLoad struct{ pages, logins, lines, rate int }

// pageRig is a daemon, and a portal whose pages show one of its sessions.
type pageRig struct {
	*rig
	pageLoad
	portal  *kit.Portal
	secrets []string // of the logins
	pages   []*bareSocket
}

// newPageRig starts a daemon with the sessions of l, and the portal. It has no pages yet.
func newPageRig(tb testing.TB, l load, p pageLoad) *pageRig {
	tb.Helper()
	g := &pageRig{rig: newRig(tb, binaries.betcode, l), pageLoad: p}
	var err error
	if g.portal, err = g.world.Portal(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(g.portal.Kill)
	access := pb.NewAccessServiceClient(g.dial())
	for i := range p.logins {
		made, err := access.CreateAccessToken(g.Context(), &pb.CreateAccessTokenRequest{Name: fmt.Sprint("page-", i), Scopes: []string{"view", "control", "approve"}})
		if err != nil {
			tb.Fatal(err)
		}
		g.secrets = append(g.secrets, made.GetSecret())
	}
	return g
}

// show opens the pages, some of each generation, and returns when each has the history of the session.
func (g *pageRig) show(session string) {
	g.Helper()
	for i := range g.pageLoad.pages {
		page, err := dialSocket(g.portal.URL, "/ws/client", g.secrets[i%len(g.secrets)])
		if err != nil {
			g.Fatal(err, g.portal.Log())
		}
		g.Cleanup(func() { page.Close() })
		if err := page.send(kit.Registration(i%3+1, session, nil)); err != nil {
			g.Fatal(err)
		}
		g.pages = append(g.pages, page)
	}
	g.all(func(p *bareSocket) error {
		for {
			switch frame, err := p.next(); {
			case err != nil:
				return err
			case bytes.Contains(frame, []byte(`"SessionStatus"`)):
				return nil
			}
		}
	})
}

// run opens the pages of the first session and has its agent write the lines.
func (g *pageRig) run() pageOutcome {
	g.Helper()
	g.show(g.streams[0].session)
	w := work{own: fmt.Sprintf("lines:%d:%d:%d", g.lines, g.rate, textSize)}
	return g.measure(func() {
		g.say(g.streams[0], w)
		g.turns(func(int) work { return w })
	})
}

// all does something with every page at once.
func (g *pageRig) all(do func(*bareSocket) error) {
	g.Helper()
	errs := make([]error, len(g.pages))
	var group sync.WaitGroup
	for i, p := range g.pages {
		group.Go(func() { errs[i] = do(p) })
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		g.Fatal(err, g.portal.Log())
	}
}

// pageOutcome is the result of one turn for the pages.
type pageOutcome struct {
	delays         []int64 // from the write of a line to a page, in nanoseconds
	lagging        int     // pages that have not got each line once
	portal, daemon usage
	peak           int64 // of the portal's memory
}

// measure has lines written, and waits until every page has them.
func (g *pageRig) measure(write func()) (o pageOutcome) {
	g.Helper()
	o.portal, o.daemon = g.usageOf(g.portal.PID()), g.usage()
	var mu sync.Mutex
	o.peak = peakOf(g.portal.PID(), func() {
		var beside sync.WaitGroup
		beside.Go(write)
		g.all(func(p *bareSocket) error {
			delays, err := p.turn()
			mu.Lock()
			defer mu.Unlock()
			o.delays = append(o.delays, delays...)
			if err == nil && len(delays) != g.lines {
				o.lagging++
			}
			return err
		})
		beside.Wait()
	})
	o.portal, o.daemon = g.usageOf(g.portal.PID()).since(o.portal), g.usage().since(o.daemon)
	return o
}

func (o pageOutcome) report(b *testing.B) {
	frames := len(o.delays)
	report(b, map[string]float64{
		unitP50:     millis(quantile(o.delays, 0.5)),
		unitP99:     millis(quantile(o.delays, 0.99)),
		unitLagging: float64(o.lagging),
		unitGateway: perEvent(o.portal, frames),
		unitCPU:     perEvent(o.daemon, frames),
		unitPeak:    megabytes(o.peak),
	})
}
