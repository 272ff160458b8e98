package foreignproxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"betcode/gateway/portal/proxies"
	pb "betcode/proto/betcode/v1"
)

const session = "0b0e8a10-0000-4000-8000-00000000000a"

// gateway is the project's gateway in front of the model of a daemon.
type gateway struct {
	*testing.T
	daemon  *model
	address string
	server  *http.Server
	proxies *proxies.Server
	served  chan struct{}
}

func newGateway(t *testing.T) *gateway {
	g := &gateway{T: t, daemon: newModel()}
	g.start("127.0.0.1:0")
	t.Cleanup(g.kill)
	return g
}

func (g *gateway) start(address string) {
	g.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		g.Fatal(err)
	}
	g.address = l.Addr().String()
	g.proxies = proxies.New(proxies.Options{Connect: g.daemon.connect})
	mux := http.NewServeMux()
	mux.Handle("/ws/session", g.proxies)
	g.server, g.served = &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}, make(chan struct{})
	go func() {
		defer close(g.served)
		_ = g.server.Serve(l)
	}()
}

// kill ends the gateway.
func (g *gateway) kill() {
	g.proxies.Close()
	_ = g.server.Close()
	<-g.served
}

func (g *gateway) run(o Options) (p *Proxy, end func() error) {
	token := "t"
	o.URL, o.Token, o.Session = "http://"+g.address, &token, session
	o.Second = max(o.Second, 100*time.Millisecond)
	p = New(o)
	ctx, cancel := context.WithCancel(g.Context())
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx) }()
	g.Cleanup(func() {
		cancel()
		<-done
	})
	return p, func() error {
		err := <-done
		done <- err
		return err
	}
}

func (g *gateway) until(p *Proxy, what string, done func(Seen) bool) {
	g.Helper()
	ctx, cancel := context.WithTimeout(g.Context(), time.Minute)
	defer cancel()
	if err := p.Until(ctx, what, done); err != nil {
		g.Fatal(err)
	}
}

func (g *gateway) daemonHas(what string, done func() bool) {
	g.Helper()
	ctx, cancel := context.WithTimeout(g.Context(), time.Minute)
	defer cancel()
	if err := g.daemon.until(ctx, done); err != nil {
		g.Fatalf("wait until the daemon has %s: %v; it has %d lines", what, err, len(g.daemon.lines))
	}
}

// said counts the lines of the daemon that contain a text.
func (g *gateway) said(text string) (n int) {
	g.daemon.mu.Lock()
	defer g.daemon.mu.Unlock()
	for _, l := range g.daemon.lines {
		if strings.Contains(string(l), text) {
			n++
		}
	}
	return n
}

func each(t *testing.T, test func(*testing.T, int)) {
	for generation := 1; generation <= 3; generation++ {
		t.Run(fmt.Sprint("G", generation), func(t *testing.T) {
			t.Parallel()
			test(t, generation)
		})
	}
}

// A proxy of each generation sends lines and requests, gets prompts, answers, an interrupt and the end, and can decode
// every frame.
func TestGenerations(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, generation int) {
		g := newGateway(t)
		// A request is sent once, so the proxy waits for its heartbeats.
		p, end := g.run(Options{Generation: generation, Agent: Echo, Branch: "main", RepoURL: "https://example.com/r", Second: time.Hour})
		g.until(p, "registered", func(s Seen) bool { return s.Registered == 1 })
		for i := range 3 {
			g.daemon.prompt(fmt.Sprintf("prompt <%d> \"ü\"", i))
		}
		g.until(p, "prompted", func(s Seen) bool { return len(s.Inputs) == 3 && s.Pending <= 1 && s.Acked >= 8 })
		g.daemonHas("acknowledgements", func() bool { return g.daemon.taken == 3 })
		p.Ask("r1", "Bash", json.RawMessage(`{"command":"ls"}`), json.RawMessage(`[{"type":"addRules","destination":"session","rules":[{"toolName":"Bash","ruleContent":"ls"}]}]`))
		g.daemonHas("the request", func() bool { return len(g.daemon.asked) == 1 })
		g.daemon.decide(true)
		g.until(p, "answered", func(s Seen) bool { return len(s.Answers) == 1 })
		g.daemonHas("the proof that the decision was read", func() bool { return len(g.daemon.decisions) == 0 })
		g.daemon.emit(&pb.ProxyEvent{Event: &pb.ProxyEvent_Interrupt{Interrupt: &pb.ProxyInterrupt{}}})
		g.daemon.emit(&pb.ProxyEvent{Event: &pb.ProxyEvent_Terminate{Terminate: &pb.ProxyTerminate{Reason: "Session stopped by user"}}})
		if generation == 1 {
			g.until(p, "closed", func(s Seen) bool { return len(s.Closes) == 1 })
		} else if err := end(); !errors.Is(err, ErrTerminated) {
			t.Errorf("the proxy ends with %v", err)
		}
		s := p.Seen()
		if a := s.Answers[0]; !a.Allow || a.Stale || string(a.Input) != `{"command":"ls"}` {
			t.Errorf("answered %+v", a)
		}
		if len(s.Broken) > 0 || generation == 3 && s.Interrupts != 1 {
			t.Errorf("seen %+v", s)
		}
		if n := g.said("You said: prompt"); n != 6 { // an answer and a result each
			t.Errorf("%d lines", n)
		}
		if got := s.Inputs[1].Text; got != `prompt <1> "ü"` {
			t.Errorf("prompt %q", got)
		}
	})
}

// The daemon and the gateway are killed while a proxy speaks and is prompted: each line and each prompt
// counts once.
func TestKills(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, generation int) {
		g := newGateway(t)
		p, _ := g.run(Options{Generation: generation, Agent: Echo})
		g.until(p, "registered", func(s Seen) bool { return s.Registered == 1 })
		rounds := 12
		for i := range rounds {
			for n := range 20 {
				p.Say(AssistantLine(fmt.Sprintf("line %d of %d.", n, i)))
			}
			g.daemon.prompt(fmt.Sprintf("prompt %d.", i))
			switch i % 4 {
			case 1:
				g.daemon.kill()
				p.Say(AssistantLine(fmt.Sprintf("said while it is away %d.", i)))
				g.daemon.start()
			case 3:
				// An acknowledgement that is under way is lost, and real proxies then run a prompt twice.
				g.daemonHas("acknowledgements", func() bool { return g.daemon.taken == uint64(i+1) })
				g.kill()
				g.start(g.address)
			}
		}
		g.until(p, "everything is acknowledged", func(s Seen) bool {
			return len(s.Inputs) >= rounds && s.Acked >= uint64(rounds*23) && s.Pending == 0
		})
		for i := range rounds {
			for n := range 20 {
				if got := g.said(fmt.Sprintf("line %d of %d.", n, i)); got != 1 {
					t.Errorf("line %d of %d came %d times", n, i, got)
				}
			}
			if got := g.said(fmt.Sprintf(`"text":"prompt %d."`, i)); got != 1 {
				t.Errorf("prompt %d ran %d times", i, got)
			}
		}
		if s := p.Seen(); len(s.Broken) > 0 || s.Registered < rounds/4 || s.Dropped > 0 {
			t.Errorf("seen %+v", s)
		}
	})
}

// The answer to a request reaches the proxy once, also if the daemon dies at that instant. The proxy stays connected: it waits for
// its heartbeats, however slow the machine is.
func TestDecisionOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, generation int) {
		g := newGateway(t)
		p, _ := g.run(Options{Generation: generation, Second: time.Hour})
		g.until(p, "registered", func(s Seen) bool { return s.Registered == 1 })
		for i := range 10 {
			id := fmt.Sprint("r", i)
			p.Ask(id, "Bash", json.RawMessage(`{}`), nil)
			g.daemonHas("the request", func() bool { return len(g.daemon.asked) == i+1 })
			g.daemon.decide(i%2 == 0)
			g.daemon.kill()
			g.daemon.start()
			g.until(p, "answered", func(s Seen) bool { return len(s.Answers) > i })
			g.daemonHas("the proof that the decision was read", func() bool { return len(g.daemon.decisions) == 0 })
		}
		s := p.Seen()
		if len(s.Answers) != 10 || s.Registered != 1 {
			t.Errorf("seen %+v", s)
		}
		for _, a := range s.Answers {
			if a.Stale {
				t.Errorf("answered %+v", a)
			}
		}
	})
}

// A second proxy of a session ends the first.
func TestTakenOver(t *testing.T) {
	t.Parallel()
	g := newGateway(t)
	first, _ := g.run(Options{Generation: 2, Second: time.Hour})
	g.until(first, "registered", func(s Seen) bool { return s.Registered == 1 })
	second, _ := g.run(Options{Generation: 3, State: first.State()})
	g.until(second, "registered", func(s Seen) bool { return s.Registered == 1 })
	g.until(first, "closed", func(s Seen) bool { return len(s.Closes) == 1 && strings.Contains(s.Closes[0], "4001") })
}

// A line of 20 MiB is a line.
func TestLargeLine(t *testing.T) {
	t.Parallel()
	g := newGateway(t)
	p, _ := g.run(Options{Generation: 3, Second: time.Hour, Backoff: 100 * time.Millisecond})
	g.until(p, "registered", func(s Seen) bool { return s.Registered == 1 })
	for range 4 {
		p.Say(json.RawMessage(`{"type":"assistant","text":"` + strings.Repeat("x", 20<<20-50) + `"}`))
	}
	g.until(p, "acknowledged", func(s Seen) bool { return s.Pending == 0 && s.Acked == 4 })
	if n := g.said("xxx"); n != 4 {
		t.Errorf("%d lines", n)
	}
}
