package gateways

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/attack/siege"
	"betcode/tests/foreignproxy"
	"betcode/tests/kit"
)

// foreignAt runs a proxy of others at a portal until the siege ends.
func foreignAt(s *siege.Siege, p *kit.Portal, o foreignproxy.Options) *foreignproxy.Proxy {
	o.URL = p.URL
	if o.Second == 0 { // it takes no late answer for a good one, and gives up no portal that is busy
		o.Second, o.Backoff = 10*time.Second, 20*time.Millisecond
	}
	f := foreignproxy.New(o)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = f.Run(ctx) // the scenario checks its record
	}()
	s.Later(func() { cancel(); <-done })
	return f
}

// sees waits for a condition on the record of a proxy.
func sees(s *siege.Siege, f *foreignproxy.Proxy, what string, done func(foreignproxy.Seen) bool) foreignproxy.Seen {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err := f.Until(ctx, what, func(seen foreignproxy.Seen) bool { return done(seen) || seen.Ended != nil })
	s.Held(what, err == nil && done(f.Seen()), "%v; %+v", err, f.Seen())
	return f.Seen()
}

func makeToken(s *siege.Siege, name string, scopes ...string) string {
	made, err := pb.NewAccessServiceClient(s.Daemon.Conn()).CreateAccessToken(context.Background(), &pb.CreateAccessTokenRequest{Name: name, Scopes: scopes})
	s.Must(err, "make a token")
	return made.GetSecret()
}

// attackPortalByProxies registers with tokens that do not count, and for sessions of others.
func attackPortalByProxies(s *siege.Siege) {
	p := portal(s)
	mine, theirs, viewer, revoked := makeToken(s, "mine", "control"), makeToken(s, "theirs", "control"), makeToken(s, "viewer", "view", "approve"), makeToken(s, "revoked", "control")
	_, code := s.Cli("token", "revoke", "revoked")
	s.Held("a token is revoked", code == 0, "%d", code)
	own := siege.NewSession()
	s.RunTurn(s.Converse("a", own), "echo:of the daemon")
	victim := siege.NewSession()
	const second = time.Second // proxies of G1 and G2 take a late answer for a good one, and a late heartbeat for a lost portal
	first := foreignAt(s, p, foreignproxy.Options{Generation: 2, Session: victim, Token: &mine, Agent: foreignproxy.Echo, Name: "victim", Second: second})
	sees(s, first, "a proxy with a token registers", func(seen foreignproxy.Seen) bool { return seen.Registered == 1 })
	empty, wrong := "", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0."
	for name, attempt := range map[string]foreignproxy.Options{
		"no token":                    {Session: victim},
		"an empty token":              {Session: victim, Token: &empty},
		"a wrong token":               {Session: victim, Token: &wrong},
		"a revoked token":             {Session: victim, Token: &revoked},
		"a viewing token":             {Session: victim, Token: &viewer},
		"a token of another person":   {Session: victim, Token: &theirs},
		"a session of the daemon":     {Session: own, Token: &mine},
		"a viewing token, no session": {Session: siege.NewSession(), Token: &viewer},
	} {
		for generation := 1; generation <= 3; generation++ {
			attempt.Generation, attempt.Second = generation, second
			f := foreignAt(s, p, attempt)
			seen := sees(s, f, fmt.Sprintf("%s registers nothing (G%d)", name, generation), func(seen foreignproxy.Seen) bool { return len(seen.Refused) > 0 })
			f.Say(foreignproxy.AssistantLine("forged"))
			want := "Authentication failed - please re-authenticate"
			if attempt.Token == &viewer || attempt.Token == &theirs || attempt.Session == own {
				want = "Session not found or not authorized"
			}
			s.Held(name+" is told no more than that", seen.Registered == 0 && seen.Refused[0] == want, "%v", seen.Refused)
		}
	}
	// An unknown session and a foreign one have one answer.
	replacing := foreignAt(s, p, foreignproxy.Options{Generation: 2, Session: siege.NewSession(), Token: &theirs, Replaces: victim, Name: "replacer", Second: second})
	_ = replacing.Until(timeout(5*time.Second), "answered", func(seen foreignproxy.Seen) bool { return seen.Registered > 0 || len(seen.Refused) > 0 })
	s.Held("the session of another person is not replaced", listed(s, victim).GetProxied().GetEnded() == "" && listed(s, victim).GetProxied().GetConnected(), "%v", listed(s, victim))
	seen := first.Seen()
	s.Held("the victim was not disturbed", seen.Registered == 1 && seen.Connected && len(seen.Inputs) == 0, "%+v", seen)
	_, code = s.Cli("token", "revoke", "mine")
	s.Held("its token is revoked", code == 0, "%d", code)
	sees(s, first, "a revoked token ends its connection", func(seen foreignproxy.Seen) bool { return len(seen.Closes) > 0 && len(seen.Refused) > 0 })
	logs := p.Log() + s.Daemon.Log()
	for _, secret := range []string{mine, theirs, viewer, revoked} {
		s.Held("no log has a secret", !strings.Contains(logs, secret), "one has")
	}
}

func timeout(d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	time.AfterFunc(d+time.Second, cancel)
	return ctx
}

// listed returns a session as the daemon lists it.
func listed(s *siege.Siege, id string) *pb.SessionSummary {
	all, err := s.Daemon.Agents().ListSessions(context.Background(), &pb.ListSessionsRequest{})
	s.Must(err, "list sessions")
	for _, each := range all.GetSessions() {
		if each.GetId() == id {
			return each
		}
	}
	return nil
}

// attackProxySocketBySites connects as the page of another site would, and under a name that points
// here; in dev mode too, where no token is needed.
func attackProxySocketBySites(s *siege.Siege) {
	p := portal(s, "--dev")
	for name, header := range map[string]http.Header{
		"another origin": {"Origin": {"https://evil.example"}},
		"another port":   {"Origin": {"http://127.0.0.1:1"}},
		"a null origin":  {"Origin": {"null"}},
		"a rebound name": {"Host": {"evil.example"}},
		"another site":   {"Sec-Fetch-Site": {"cross-site"}},
	} {
		for _, path := range []string{"/ws/session", "//ws/session"} {
			socket, answer, err := websocket.Dial(timeout(time.Minute), p.URL+path, &websocket.DialOptions{HTTPHeader: header, Host: header.Get("Host")}) //nolint:bodyclose // the library has read it
			if err == nil {
				_ = socket.CloseNow()
			}
			s.Held(name+" opens no socket at "+path, err != nil && answer != nil && answer.StatusCode == http.StatusForbidden, "%v", err)
		}
		b := p.Browser()
		b.Header = header
		if name != "a rebound name" {
			b.Header = header.Clone()
		}
		status, _ := asks(s, b, http.MethodPost, "/api/proxy/resolve-session")
		s.Held(name+" resolves no session", status == http.StatusForbidden, "%d", status)
	}
	f := foreignAt(s, p, foreignproxy.Options{Generation: 3, Session: siege.NewSession()})
	sees(s, f, "a proxy without an origin registers in dev mode", func(seen foreignproxy.Seen) bool { return seen.Registered == 1 })
}

// attackPortalByGreedyProxies: proxies flood, send large frames, send nothing, and do not read.
func attackPortalByGreedyProxies(s *siege.Siege) {
	p := portal(s, "--max-proxies", "24")
	token := makeToken(s, "mine", "control")
	good := foreignAt(s, p, foreignproxy.Options{Generation: 3, Session: siege.NewSession(), Token: &token, Agent: foreignproxy.Echo})
	sees(s, good, "a good proxy registers", func(seen foreignproxy.Seen) bool { return seen.Registered == 1 })

	s.Until("80 connections open before the first is closed for its silence", func() bool {
		began, served := time.Now(), unregistered(p, 80)
		if time.Since(began) > 8*time.Second { // the portal waits ten for a Register
			return false
		}
		s.Held("connections without a Register are bounded", served <= 64, "%d", served)
		return true
	})

	// Large lines of several proxies at once, and one that is too large.
	line := []byte(`{"type":"assistant","text":"` + strings.Repeat("x", 19<<20) + `"}`)
	var large []*foreignproxy.Proxy
	for range 8 {
		f := foreignAt(s, p, foreignproxy.Options{Generation: 2, Session: siege.NewSession(), Token: &token, Second: time.Hour})
		large = append(large, f)
		sees(s, f, "a proxy registers", func(seen foreignproxy.Seen) bool { return seen.Registered == 1 })
		f.SayUnnumbered(line)
		f.Say(foreignproxy.AssistantLine("behind a large line"))
	}
	for _, f := range large {
		sees(s, f, "large lines are taken in turn", func(seen foreignproxy.Seen) bool { return seen.Acked > 0 })
	}
	tooLarge := foreignAt(s, p, foreignproxy.Options{Generation: 2, Session: siege.NewSession(), Token: &token})
	sees(s, tooLarge, "a proxy registers", func(seen foreignproxy.Seen) bool { return seen.Registered > 0 })
	tooLarge.SayUnnumbered([]byte(`"` + strings.Repeat("x", 21<<20) + `"`))
	sees(s, tooLarge, "a frame of 21 MiB ends its connection", func(seen foreignproxy.Seen) bool { return len(seen.Closes) > 0 })

	// 100 000 heartbeats and as much nonsense.
	flood := foreignAt(s, p, foreignproxy.Options{Generation: 1, Session: siege.NewSession(), Token: &token, Second: time.Hour})
	sees(s, flood, "a proxy registers", func(seen foreignproxy.Seen) bool { return seen.Registered == 1 })
	for range 50_000 {
		flood.Send(map[string]any{"type": "Heartbeat"})
		flood.Send(map[string]any{"type": "Nonsense", "x": 1})
	}
	// One that does not read, and one that is half open: neither holds another up.
	halfOpen(s, p, token)

	// More proxies than there are places.
	full := 0
	for range 24 {
		f := foreignAt(s, p, foreignproxy.Options{Generation: 2, Session: siege.NewSession(), Token: &token, Second: time.Hour})
		_ = f.Until(timeout(30*time.Second), "answered", func(seen foreignproxy.Seen) bool { return seen.Registered > 0 || len(seen.Refused) > 0 })
		full += len(f.Seen().Refused)
	}
	s.Held("proxies are bounded", full > 0, "all are served")

	before := good.Seen().Acked
	good.Say(foreignproxy.AssistantLine("still there"))
	sees(s, good, "a good proxy is served", func(seen foreignproxy.Seen) bool { return seen.Acked > before })
	peak, err := p.Memory()
	s.Must(err, "read the portal's memory")
	s.Held("memory is bounded", peak < 700<<20, "%d MiB at most", peak>>20)
}

// unregistered opens connections at once, which never register, and returns how many of them the portal serves.
func unregistered(p *kit.Portal, connections int) int {
	idle := make(chan *websocket.Conn, connections)
	var dialling sync.WaitGroup
	for range connections {
		dialling.Go(func() {
			if c, _, err := websocket.Dial(timeout(time.Minute), p.URL+"/ws/session", nil); err == nil { //nolint:bodyclose // the library has read it
				idle <- c
			}
		})
	}
	dialling.Wait()
	close(idle)
	served := len(idle)
	for c := range idle {
		_ = c.CloseNow()
	}
	return served
}

// halfOpen registers a proxy by hand and leaves it: it neither reads nor closes.
func halfOpen(s *siege.Siege, p *kit.Portal, token string) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.URL, "http://"))
	s.Must(err, "connect")
	s.Later(func() { conn.Close() })
	fmt.Fprintf(conn, "GET /ws/session HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
	register := fmt.Sprintf(`{"type":"Register","session_id":%q,"session_name":"half","auth_token":%q,"working_directory":"/","resuming":false,"hostname":null}`, siege.NewSession(), token)
	frame := []byte{0x81, 0x80 | 126, byte(len(register) >> 8), byte(len(register)), 0, 0, 0, 0} // masked with zeros
	_, err = conn.Write(append(frame, register...))
	s.Must(err, "register")
	buffer := make([]byte, 1)
	_, err = conn.Read(buffer) // the answer to the upgrade: the rest is never read
	s.Must(err, "read the first byte")
}
