package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/foreignproxy"
	"betcode/tests/kit"
)

// foreignAt runs a proxy of others at a portal until the siege ends.
func (s *siege) foreignAt(p *kit.Portal, o foreignproxy.Options) *foreignproxy.Proxy {
	o.URL = p.URL
	if o.Second == 0 {
		o.Second = 20 * time.Millisecond
	}
	f := foreignproxy.New(o)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = f.Run(ctx) // what it has seen is examined
	}()
	s.later(func() { cancel(); <-done })
	return f
}

// sees waits for what a proxy has seen.
func (s *siege) sees(f *foreignproxy.Proxy, what string, done func(foreignproxy.Seen) bool) foreignproxy.Seen {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err := f.Until(ctx, what, func(seen foreignproxy.Seen) bool { return done(seen) || seen.Ended != nil })
	s.held(what, err == nil && done(f.Seen()), "%v; %+v", err, f.Seen())
	return f.Seen()
}

func (s *siege) makeToken(name string, scopes ...string) string {
	made, err := pb.NewAccessServiceClient(s.daemon.Conn()).CreateAccessToken(context.Background(), &pb.CreateAccessTokenRequest{Name: name, Scopes: scopes})
	s.must(err, "make a token")
	return made.GetSecret()
}

// attackPortalByProxies registers with tokens that do not count, and for sessions of others.
func attackPortalByProxies(s *siege) {
	p := s.portal()
	mine, theirs, viewer, revoked := s.makeToken("mine", "control"), s.makeToken("theirs", "control"), s.makeToken("viewer", "view", "approve"), s.makeToken("revoked", "control")
	_, code := s.cli("token", "revoke", "revoked")
	s.held("a token is revoked", code == 0, "%d", code)
	own := session()
	s.runTurn(s.converse("a", own), "echo:of the daemon")
	victim := session()
	first := s.foreignAt(p, foreignproxy.Options{Generation: 2, Session: victim, Token: &mine, Agent: foreignproxy.Echo, Name: "victim"})
	s.sees(first, "a proxy with a token registers", func(seen foreignproxy.Seen) bool { return seen.Registered == 1 })
	empty, wrong := "", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0."
	for name, attempt := range map[string]foreignproxy.Options{
		"no token":                    {Session: victim},
		"an empty token":              {Session: victim, Token: &empty},
		"a wrong token":               {Session: victim, Token: &wrong},
		"a revoked token":             {Session: victim, Token: &revoked},
		"a viewing token":             {Session: victim, Token: &viewer},
		"a token of another person":   {Session: victim, Token: &theirs},
		"a session of the daemon":     {Session: own, Token: &mine},
		"a viewing token, no session": {Session: session(), Token: &viewer},
	} {
		for generation := 1; generation <= 3; generation++ {
			attempt.Generation = generation
			f := s.foreignAt(p, attempt)
			seen := s.sees(f, fmt.Sprintf("%s registers nothing (G%d)", name, generation), func(seen foreignproxy.Seen) bool { return len(seen.Refused) > 0 })
			f.Say(foreignproxy.AssistantLine("forged"))
			want := "Authentication failed - please re-authenticate"
			if attempt.Token == &viewer || attempt.Token == &theirs || attempt.Session == own {
				want = "Session not found or not authorized"
			}
			s.held(name+" is told no more than that", seen.Registered == 0 && seen.Refused[0] == want, "%v", seen.Refused)
		}
	}
	// An unknown session and a foreign one have one answer.
	replacing := s.foreignAt(p, foreignproxy.Options{Generation: 2, Session: session(), Token: &theirs, Replaces: victim, Name: "replacer"})
	_ = replacing.Until(timeout(5*time.Second), "answered", func(seen foreignproxy.Seen) bool { return seen.Registered > 0 || len(seen.Refused) > 0 })
	s.held("the session of another person is not replaced", s.listed(victim).GetProxied().GetEnded() == "" && s.listed(victim).GetProxied().GetConnected(), "%v", s.listed(victim))
	seen := first.Seen()
	s.held("the victim was not disturbed", seen.Registered == 1 && seen.Connected && len(seen.Inputs) == 0, "%+v", seen)
	_, code = s.cli("token", "revoke", "mine")
	s.held("its token is revoked", code == 0, "%d", code)
	s.sees(first, "a revoked token ends its connection", func(seen foreignproxy.Seen) bool { return len(seen.Closes) > 0 && len(seen.Refused) > 0 })
	logs := p.Log() + s.daemon.Log()
	for _, secret := range []string{mine, theirs, viewer, revoked} {
		s.held("no log has a secret", !strings.Contains(logs, secret), "one has")
	}
}

func timeout(d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	time.AfterFunc(d+time.Second, cancel)
	return ctx
}

// listed returns a session as the daemon lists it.
func (s *siege) listed(id string) *pb.SessionSummary {
	all, err := s.daemon.Agents().ListSessions(context.Background(), &pb.ListSessionsRequest{})
	s.must(err, "list sessions")
	for _, each := range all.GetSessions() {
		if each.GetId() == id {
			return each
		}
	}
	return nil
}

// attackProxySocketBySites connects as the page of another site would, and under a name that points
// here; in dev mode too, where no token is needed.
func attackProxySocketBySites(s *siege) {
	p := s.portal("--dev")
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
			s.held(name+" opens no socket at "+path, err != nil && answer != nil && answer.StatusCode == http.StatusForbidden, "%v", err)
		}
		b := p.Browser()
		b.Header = header
		if name != "a rebound name" {
			b.Header = header.Clone()
		}
		status, _ := s.asks(b, http.MethodPost, "/api/proxy/resolve-session")
		s.held(name+" resolves no session", status == http.StatusForbidden, "%d", status)
	}
	f := s.foreignAt(p, foreignproxy.Options{Generation: 3, Session: session()})
	s.sees(f, "a proxy without an origin registers in dev mode", func(seen foreignproxy.Seen) bool { return seen.Registered == 1 })
}

// attackPortalByGreedyProxies floods, sends what is large or nothing at all, and does not read.
func attackPortalByGreedyProxies(s *siege) {
	p := s.portal("--max-proxies", "24")
	token := s.makeToken("mine", "control")
	good := s.foreignAt(p, foreignproxy.Options{Generation: 3, Session: session(), Token: &token, Agent: foreignproxy.Echo})
	s.sees(good, "a good proxy registers", func(seen foreignproxy.Seen) bool { return seen.Registered == 1 })

	// Connections that never register.
	var idle []*websocket.Conn
	for range 80 {
		if c, _, err := websocket.Dial(timeout(time.Minute), p.URL+"/ws/session", nil); err == nil { //nolint:bodyclose // the library has read it
			idle = append(idle, c)
		}
	}
	s.held("connections without a Register are bounded", len(idle) <= 64, "%d", len(idle))
	for _, c := range idle {
		_ = c.CloseNow()
	}

	// Large lines of several proxies at once, and one that is too large.
	line := []byte(`{"type":"assistant","text":"` + strings.Repeat("x", 19<<20) + `"}`)
	var large []*foreignproxy.Proxy
	for range 8 {
		f := s.foreignAt(p, foreignproxy.Options{Generation: 2, Session: session(), Token: &token, Second: time.Hour})
		large = append(large, f)
		s.sees(f, "a proxy registers", func(seen foreignproxy.Seen) bool { return seen.Registered == 1 })
		f.SayUnnumbered(line)
		f.Say(foreignproxy.AssistantLine("behind a large line"))
	}
	for _, f := range large {
		s.sees(f, "large lines are taken in turn", func(seen foreignproxy.Seen) bool { return seen.Acked > 0 })
	}
	tooLarge := s.foreignAt(p, foreignproxy.Options{Generation: 2, Session: session(), Token: &token})
	s.sees(tooLarge, "a proxy registers", func(seen foreignproxy.Seen) bool { return seen.Registered > 0 })
	tooLarge.SayUnnumbered([]byte(`"` + strings.Repeat("x", 21<<20) + `"`))
	s.sees(tooLarge, "a frame of 21 MiB ends its connection", func(seen foreignproxy.Seen) bool { return len(seen.Closes) > 0 })

	// 100 000 heartbeats and as much nonsense.
	flood := s.foreignAt(p, foreignproxy.Options{Generation: 1, Session: session(), Token: &token, Second: time.Hour})
	s.sees(flood, "a proxy registers", func(seen foreignproxy.Seen) bool { return seen.Registered == 1 })
	for range 50_000 {
		flood.Send(map[string]any{"type": "Heartbeat"})
		flood.Send(map[string]any{"type": "Nonsense", "x": 1})
	}
	// One that does not read, and one that is half open: neither holds another up.
	s.halfOpen(p, token)

	// More proxies than there are places.
	full := 0
	for range 24 {
		f := s.foreignAt(p, foreignproxy.Options{Generation: 2, Session: session(), Token: &token, Second: time.Hour})
		_ = f.Until(timeout(30*time.Second), "answered", func(seen foreignproxy.Seen) bool { return seen.Registered > 0 || len(seen.Refused) > 0 })
		full += len(f.Seen().Refused)
	}
	s.held("proxies are bounded", full > 0, "all are served")

	before := good.Seen().Acked
	good.Say(foreignproxy.AssistantLine("still there"))
	s.sees(good, "a good proxy is served", func(seen foreignproxy.Seen) bool { return seen.Acked > before })
	peak, err := p.Memory()
	s.must(err, "read the portal's memory")
	s.held("memory is bounded", peak < 700<<20, "%d MiB at most", peak>>20)
}

// halfOpen registers a proxy by hand and leaves it without a word: it neither reads nor closes.
func (s *siege) halfOpen(p *kit.Portal, token string) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.URL, "http://"))
	s.must(err, "connect")
	s.later(func() { conn.Close() })
	fmt.Fprintf(conn, "GET /ws/session HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
	register := fmt.Sprintf(`{"type":"Register","session_id":%q,"session_name":"half","auth_token":%q,"working_directory":"/","resuming":false,"hostname":null}`, session(), token)
	frame := []byte{0x81, 0x80 | 126, byte(len(register) >> 8), byte(len(register)), 0, 0, 0, 0} // masked with zeros
	_, err = conn.Write(append(frame, register...))
	s.must(err, "register")
	buffer := make([]byte, 1)
	_, err = conn.Read(buffer) // the answer to the upgrade: the rest is never read
	s.must(err, "read the first byte")
}
