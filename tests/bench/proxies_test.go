//go:build linux

package bench

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"betcode/tests/foreignproxy"
)

// foreigners is how many proxies of other people's programs are registered at the portal.
const foreigners = 50

// BenchmarkProxies measures the way of a line from a proxy to the pages: through the portal to the
// daemon, into the journal, and back. Every page shows the session of the first proxy; all proxies
// write at the same rate.
func BenchmarkProxies(b *testing.B) {
	l := browsers
	if testing.Short() {
		l.lines /= 10
	}
	for b.Loop() {
		newPageRig(b, load{}, l).runProxies(foreigners).report(b)
	}
}

// runProxies registers n proxies, opens the pages of the first, and has all write their lines.
func (g *pageRig) runProxies(n int) pageOutcome {
	g.Helper()
	proxies := make([]*foreignproxy.Proxy, n)
	for i := range proxies {
		proxies[i] = g.register(fmt.Sprint("proxy-", i), i%3+1)
	}
	g.show(proxies[0].Session())
	return g.measure(func() { g.speak(proxies) })
}

// register runs a proxy with the first login until the benchmark ends, and returns when the portal has
// accepted it.
func (g *pageRig) register(name string, generation int) *foreignproxy.Proxy {
	g.Helper()
	p := foreignproxy.New(foreignproxy.Options{
		URL: g.portal.URL, Token: &g.secrets[0], Generation: generation, Session: uuid.NewString(), Name: name, Agent: foreignproxy.Echo,
	})
	ctx, cancel := context.WithCancel(g.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = p.Run(ctx) // Until reports an early end
	}()
	g.Cleanup(func() {
		cancel()
		<-ended
	})
	g.until(p, "registered", func(s foreignproxy.Seen) bool { return s.Connected })
	return p
}

// speak has every proxy write its lines and the end of a turn, and waits until all are acknowledged.
func (g *pageRig) speak(proxies []*foreignproxy.Proxy) {
	g.Helper()
	interval := time.Second / time.Duration(g.rate)
	var group sync.WaitGroup
	for i, p := range proxies {
		group.Go(func() {
			time.Sleep(interval * time.Duration(i) / time.Duration(len(proxies))) // they do not write in step
			tick := time.NewTicker(interval)
			defer tick.Stop()
			for range g.lines {
				<-tick.C
				p.Say(foreignproxy.AssistantLine(fmt.Sprint(time.Now().UnixNano(), strings.Repeat(" word", textSize/5))))
			}
			p.Say(foreignproxy.ResultLine("done"))
		})
	}
	group.Wait()
	for _, p := range proxies {
		g.until(p, "all lines are acknowledged", func(s foreignproxy.Seen) bool { return s.Pending == 0 && s.Dropped == 0 })
	}
}

func (g *pageRig) until(p *foreignproxy.Proxy, what string, done func(foreignproxy.Seen) bool) {
	g.Helper()
	ctx, cancel := context.WithTimeout(g.Context(), time.Minute)
	defer cancel()
	if err := p.Until(ctx, what, done); err != nil {
		g.Fatal(err, g.portal.Log())
	}
}
