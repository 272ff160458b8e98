package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"betcode/tests/foreignproxy"
	"betcode/tests/kit"
)

// foreignTurns is the maximum number of turns that the agent of a foreign proxy begins by itself.
const foreignTurns = 120

// foreign is a foreign proxy at the portal, with its agent. The agent writes lines with marks, gets prompts, and asks for permission. After
// a kill the next proxy begins with the state in its file and a new agent.
type foreign struct {
	gateways   *gateways
	name       string // g1, g2, g3; also of its marks
	generation int
	session    string
	dice       *rand.Rand

	mu     sync.Mutex
	proxy  *foreignproxy.Proxy
	end    context.CancelFunc
	ended  chan struct{}
	agent  *foreignAgent
	lines  []string        // marks of the texts, in order
	maybe  map[string]bool // of a proxy that was killed before it had noted them
	given  map[string]int  // how often agents were given a prompt
	unsure map[string]bool // prompts whose agent was killed before its echo was acknowledged
	asked  map[string]*foreignAsk
	turns  int
	broken []string
	dead   chan string // why an incarnation has ended by itself
}

func newForeign(g *gateways, generation int) *foreign {
	return &foreign{
		gateways: g, name: fmt.Sprint("g", generation), generation: generation, session: uuid.NewString(),
		dice:  rand.New(rand.NewPCG(g.round.schedule.seed, uint64(100+generation))),
		maybe: map[string]bool{}, given: map[string]int{}, unsure: map[string]bool{}, asked: map[string]*foreignAsk{}, dead: make(chan string, 1),
	}
}

// run starts an incarnation.
func (f *foreign) run(state foreignproxy.State, resuming bool) {
	f.agent = &foreignAgent{of: f, later: resuming}
	f.proxy = foreignproxy.New(foreignproxy.Options{
		URL: f.gateways.url, Token: &f.gateways.token, Generation: f.generation, Session: f.session, Name: f.name, Directory: "/on/another/machine",
		Agent: f.agent, State: state, Resuming: resuming, Backoff: 20 * time.Millisecond,
	})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	f.end, f.ended = cancel, ended
	go func(p *foreignproxy.Proxy) {
		defer close(ended)
		if err := p.Run(ctx); ctx.Err() == nil {
			f.dead <- err.Error()
		}
	}(f.proxy)
}

// kill ends the proxy and its agent, and starts the next one with the state that it had in its file.
func (f *foreign) kill() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.replace()
}

// replace ends an incarnation and starts the next one. The caller holds mu.
func (f *foreign) replace() {
	early, dead := f.proxy.State(), f.agent
	f.agent = &foreignAgent{of: f, asking: "nothing", registered: math.MaxInt} // says nothing meanwhile
	f.stop()
	seen := f.proxy.Seen()
	for _, in := range seen.Inputs {
		f.unsure[in.Text] = f.unsure[in.Text] || f.given[in.Text] == 0
	}
	for _, l := range f.proxy.Pending() {
		for _, m := range marksOf(l.Content) {
			if kind, m := m[:1], m[1:]; kind == "u" {
				f.doubt(m)
			} else if l.Seq >= early.Next {
				f.maybe[m] = true
			}
		}
	}
	for _, text := range dead.queue {
		f.unsure[text] = true
	}
	f.run(early, true)
}

// revive starts the next incarnation of a proxy that has ended by itself. A proxy of G1 ends when it gets an answer to a request of its
// killed predecessor, and the portal cannot know that the predecessor is gone.
func (f *foreign) revive() {
	select {
	case why := <-f.dead:
		f.mu.Lock()
		defer f.mu.Unlock()
		s, known := f.proxy.Seen(), false
		if n := len(s.Answers); n > 0 {
			ask := f.asked[s.Answers[n-1].Request]
			known = ask != nil && ask.by != f.agent
		}
		if f.generation > 1 || !known {
			f.gateways.round.report(otherwise, "the foreign proxy %s ended: %s; seen %+v", f.name, why, s)
		}
		f.gateways.round.note("the foreign proxy %s ended: %s", f.name, why)
		f.replace()
	default:
	}
}

// doubt records a prompt that may or may not have arrived.
func (f *foreign) doubt(m string) {
	for text := range f.given {
		if strings.Contains(text, m) {
			f.unsure[text] = true
		}
	}
}

// stop ends the proxy. The caller holds mu: agents that wait for it find that they have ended.
func (f *foreign) stop() {
	f.end()
	f.mu.Unlock()
	<-f.ended
	f.mu.Lock()
	f.broken = append(f.broken, f.proxy.Seen().Broken...)
}

// follow makes the agent begin turns by itself until ctx ends.
func (f *foreign) follow(ctx context.Context) {
	for ctx.Err() == nil {
		pause(ctx, time.Duration(20+f.dice.IntN(100))*time.Millisecond)
		f.revive()
		f.giveUp(ctx)
		if f.gateways.draining.Load() {
			continue
		}
		f.mu.Lock()
		if f.turns < foreignTurns && f.agent.asking == "" {
			f.turns++
			f.agent.begin(f.proxy)
			f.agent.speak(f.proxy, 1)
			f.proxy.Say(foreignproxy.ResultLine("done"))
		}
		f.mu.Unlock()
	}
}

// giveUp ends a turn whose request was lost with a connection: proxies send it once.
func (f *foreign) giveUp(ctx context.Context) {
	f.mu.Lock()
	a, p, id := f.agent, f.proxy, f.agent.asking
	s := p.Seen()
	lost := id != "" && s.Connected && s.Registered > a.registered
	f.mu.Unlock()
	if !lost {
		return
	}
	if !f.hopeless(ctx, id) {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.agent == a && a.asking == id {
		f.gateways.round.note("the agent of %s gives up %s", f.name, id)
		a.tired = true
		a.finish(p)
	}
}

// hopeless reports whether no answer to a request will come: the daemon has not got it, or has given the decision up.
func (f *foreign) hopeless(ctx context.Context, id string) bool {
	all, err := f.gateways.round.export(ctx, f.session)
	got := slices.ContainsFunc(all, func(e kit.Event) bool { return e.GetPermissionRequest().GetRequestId() == id })
	return err == nil && (!got || uncertain(all)[id])
}

// unrest describes what the proxy still waits for, empty if it waits for nothing.
func (f *foreign) unrest(ctx context.Context) string {
	f.mu.Lock()
	s, asking, queue := f.proxy.Seen(), f.agent.asking, len(f.agent.queue)
	f.mu.Unlock()
	if !s.Connected || s.Pending > 1 || s.Pending == 1 && s.Acked > 0 || asking != "" || queue > 0 {
		return fmt.Sprintf("%s: connected %t, %d lines are not acknowledged, asking %q, %d prompts wait", f.name, s.Connected, s.Pending, asking, queue)
	}
	shown := f.gateways.round.show(ctx, f.session)
	if shown == nil || len(shown.GetInputs())+len(shown.GetPermissions()) > 0 {
		f.goOn()
		return fmt.Sprintf("%s: %v", f.name, shown)
	}
	return ""
}

// goOn makes the successor of an agent that was killed in a turn write a line, so that the turn ends.
func (f *foreign) goOn() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.agent.later && f.agent.asking == "" && time.Since(f.agent.went) > time.Second {
		f.agent.went = time.Now()
		f.agent.begin(f.proxy)
		f.agent.speak(f.proxy, 1)
		f.proxy.Say(foreignproxy.ResultLine("done"))
	}
}
