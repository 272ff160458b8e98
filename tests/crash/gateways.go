package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/foreignproxy"
	"betcode/tests/kit"
)

// gateways are the gateways of a round and their peers: the portal with three foreign proxies and with pages, the agent socket with a
// client that owns a session, and 'betcode proxy' with a session of ours at a foreign portal. The schedule of the round has the kills.
type gateways struct {
	round    *round
	world    *kit.World // of the gateways: their program is never one that is armed
	url      string     // of the portal, which all incarnations have
	token    string     // of foreign proxies
	header   http.Header
	draining atomic.Bool // no peer begins a new turn

	fronts  map[string]*front
	foreign []*foreign
	pages   []*page
	watcher *watcher // has the owner
	guest   *guest
	own     string // the session that a page prompts

	end    context.CancelFunc // of all goroutines
	leave  func()             // ends the watcher
	parts  sync.WaitGroup
	closed bool
}

// portals counts the portals of this process, so that each has a port.
var portals atomic.Int64

func newGateways(r *round) *gateways {
	world := *r.world
	world.Extra = r.agentKind.environ
	pid := os.Getpid()
	// An address of its own on loopback: no other process gets its port while no portal runs.
	address := fmt.Sprintf("127.%d.%d.%d:%d", 64+pid>>16&63, pid>>8&255, pid&255, 20000+portals.Add(1)%10000)
	g := &gateways{round: r, world: &world, url: "http://" + address, fronts: map[string]*front{}, own: uuid.NewString()}
	g.front("portal", func() (process, error) { return asProcess(world.Portal("--listen", address)) })
	g.front("socket", func() (process, error) { return asProcess(world.Gateway("--on-disconnect", "keep")) })
	for generation := 1; generation <= 3; generation++ {
		f := newForeign(g, generation)
		g.foreign = append(g.foreign, f)
		g.newPage(f.name+" writer", f.session, ofForeign(f.name))
		g.newPage(f.name+" reader", f.session, nil)
	}
	g.newPage("own writer", g.own, ofAgent("own"))
	g.newPage("own reader", g.own, nil)
	owned := uuid.NewString()
	g.watcher = newWatcher(r, owned)
	g.watcher.front, g.watcher.owner = g.fronts["socket"], newOwner(g, owned)
	g.guest = newGuest(g, uuid.NewString())
	g.newPage("guest reader", g.guest.session, nil)
	g.front("proxy", func() (process, error) { return asProcess(world.Proxy(g.guest.arguments()...)) })
	g.fronts["proxy"].began = func(p process) bool { return p.(*kit.Proxy).Session != "" }
	return g
}

// asProcess converts a process to the interface, and returns a nil interface after an error.
func asProcess[P process](p P, err error) (process, error) {
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (g *gateways) front(name string, start func() (process, error)) {
	g.fronts[name] = &front{round: g.round, name: name, start: start, began: func(process) bool { return true }}
}

// browser is one that has logged in.
func (g *gateways) browser() *kit.Browser {
	b := kit.NewBrowser(g.url)
	b.Header = g.header.Clone()
	return b
}

// open begins the sessions, starts the gateways, logs in, and connects everybody. No process is killed meanwhile.
func (g *gateways) open(ctx context.Context) error {
	ctx, g.end = context.WithCancel(ctx)
	d := g.round.house.now()
	for _, id := range []string{g.own, g.watcher.session, g.guest.session} {
		c, err := d.Converse(ctx, "starter", &pb.StartConversation{SessionId: id, WorkingDirectory: g.world.Project})
		if err != nil {
			return err
		}
		err = c.Say(uuid.NewString(), "echo:begun")
		if err == nil {
			_, _, err = c.Wait(0, kit.IsIdle)
		}
		c.Close()
		if err != nil {
			return err
		}
	}
	var err error
	if g.token, err = g.world.ProxyToken("laptop"); err != nil {
		return fmt.Errorf("make the token of a proxy: %w", err)
	}
	code, err := g.world.Code("phone", "control", "approve")
	if err != nil {
		return fmt.Errorf("make a code for a login: %w", err)
	}
	for _, f := range g.fronts {
		g.parts.Go(func() { f.keep(ctx) })
	}
	g.round.await("the portal", g.fronts["portal"].serves)
	b := kit.NewBrowser(g.url)
	status, err := b.Login(code)
	if err != nil || status != http.StatusSeeOther {
		return fmt.Errorf("log in: status %d, %v", status, err) //nolint:errorlint // there may be none
	}
	g.header = b.Header
	for _, f := range g.foreign {
		f.run(foreignproxy.State{}, false)
	}
	for _, f := range g.foreign {
		if err := f.proxy.Until(ctx, "registered", func(s foreignproxy.Seen) bool { return s.Registered > 0 }); err != nil {
			return err
		}
		g.parts.Go(func() { f.follow(ctx) })
	}
	for _, p := range g.pages {
		g.parts.Go(func() { p.follow(ctx) })
	}
	owning, leave := context.WithCancel(ctx)
	left := make(chan struct{})
	g.leave = func() { leave(); <-left }
	g.parts.Go(func() { defer close(left); g.watcher.follow(owning) })
	g.parts.Go(func() { g.watcher.owner.typeAll(ctx) })
	g.parts.Go(func() { g.guest.follow(ctx) })
	return nil
}

// await waits until all gateways serve, or the daemon has ended itself: some begin beside a daemon only.
func (g *gateways) await() {
	for _, f := range g.fronts {
		g.round.await(f.name, func() bool {
			d := g.round.house.now()
			return d == nil || d.Ended() || f.serves()
		})
	}
}

// work waits a while until people have got so many more prompts confirmed. On a busy machine nothing would be under way otherwise.
func (g *gateways) work(prompts int) {
	want := g.confirmed() + prompts
	for late := time.Now().Add(4 * time.Second); time.Now().Before(late) && g.confirmed() < want; time.Sleep(time.Millisecond) {
		if d := g.round.house.now(); d == nil || d.Ended() {
			return
		}
	}
}

// confirmed returns how many prompts of pages and of the agent socket were.
func (g *gateways) confirmed() int {
	n := g.watcher.owner.confirmed()
	for _, p := range g.pages {
		n += p.confirmed()
	}
	return n
}

// kill kills a gateway or a foreign proxy, and reports whether victim is one of these.
func (g *gateways) kill(victim string) bool {
	if f := g.fronts[victim]; f != nil {
		if f.kill() {
			g.round.kills++
			g.round.note("kill %s", victim)
		} else {
			g.round.note("no %s to kill", victim)
		}
		return true
	}
	for _, f := range g.foreign {
		if f.name == victim {
			g.round.kills++
			g.round.note("kill the foreign proxy %s", victim)
			f.kill()
			return true
		}
	}
	return false
}

// close ends everything.
func (g *gateways) close() {
	if g == nil || g.closed || g.end == nil {
		return
	}
	g.closed = true
	g.end()
	g.parts.Wait()
	for _, f := range g.foreign {
		if f.proxy != nil {
			f.mu.Lock()
			f.stop()
			f.mu.Unlock()
		}
	}
	for _, f := range g.fronts {
		f.stop()
	}
	g.guest.portal.Close()
}

// check waits until everybody has everything, compares, and ends the gateways. The daemon lives.
func (g *gateways) check(ctx context.Context) {
	defer g.close()
	ctx, cancel := context.WithTimeout(ctx, 2*restTime)
	defer cancel()
	g.draining.Store(true)
	g.await()
	unrest := "-"
	for late := time.Now().Add(restTime); unrest != "" && time.Now().Before(late) && ctx.Err() == nil; pause(ctx, 20*time.Millisecond) {
		unrest = g.unrest(ctx)
	}
	if unrest != "" {
		s, _ := g.guest.portal.Session(g.guest.session)
		g.round.note("foreign portal: %d requests, now %v, pending %v, loose %s, answers %d", len(s.Requests), s.Request, s.Pending, s.Loose, g.guest.answers)
		g.round.report(lost, "behind the gateways there is no rest within %s: %s", restTime, unrest)
		return
	}
	g.leave()
	g.watcher.check(ctx)
	g.compare(ctx)
}
