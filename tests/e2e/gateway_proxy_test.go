package e2e

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/foreignproxy"
	"betcode/tests/kit"
)

// foreign is a proxy of others at a portal.
type foreign struct {
	*portal
	*foreignproxy.Proxy
	session string
	ended   chan error
}

// unhurried is a second of proxies in stories. They take a RegisterAck after ten seconds for a good one, or connect again, and leave
// a portal that was silent for fifteen: a slow machine gets to neither.
const unhurried = 10 * time.Second

// token creates a token and returns its secret.
func (p *portal) token(name string, scopes ...string) string {
	p.Helper()
	made, err := pb.NewAccessServiceClient(p.daemon.Conn()).CreateAccessToken(p.Context(), &pb.CreateAccessTokenRequest{Name: name, Scopes: scopes})
	if err != nil {
		p.Fatal(err)
	}
	return made.GetSecret()
}

// proxy runs a proxy until the test ends.
func (p *portal) proxy(o foreignproxy.Options) *foreign {
	p.Helper()
	if o.Token == nil {
		secret := p.token("proxy-"+uuid.NewString()[:8], "control")
		o.Token = &secret
	}
	if o.Session == "" {
		o.Session = uuid.NewString()
	}
	if o.Second == 0 {
		o.Second, o.Backoff = unhurried, 200*time.Millisecond
	}
	o.URL, o.Log = p.URL, p.Logf
	f := &foreign{p, foreignproxy.New(o), o.Session, make(chan error, 2)}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		err := f.Run(ctx)
		f.ended <- err
		f.ended <- err
	}()
	p.Cleanup(func() {
		cancel()
		<-f.ended
	})
	return f
}

func (f *foreign) until(what string, done func(foreignproxy.Seen) bool) {
	f.Helper()
	ctx, cancel := context.WithTimeout(f.Context(), 2*time.Minute)
	defer cancel()
	if err := f.Until(ctx, what, done); err != nil {
		f.Fatal(err)
	}
}

func (f *foreign) registered() {
	f.Helper()
	f.until("registered", func(s foreignproxy.Seen) bool { return s.Registered > 0 })
}

// agentProgram is the fake agent as an agent of a proxy.
func (p *portal) agentProgram() *foreignproxy.Program {
	return &foreignproxy.Program{Path: binaries.fake, Env: p.world.Environ(), Dir: p.world.Project}
}

// A proxy of each generation registers. Its session is an ordinary one: a page sees it, prompts it and
// answers its request, and so does the command line.
func TestForeignProxy(t *testing.T) {
	t.Parallel()
	for generation := 1; generation <= 3; generation++ {
		t.Run(fmt.Sprint("G", generation), func(t *testing.T) {
			t.Parallel()
			p := newPortal(t, newStory(t, binaries.fake))
			f := p.proxy(foreignproxy.Options{
				Generation: generation, Agent: p.agentProgram(), Branch: "main", RepoURL: "https://example.com/r", Hostname: "elsewhere",
				Directory: p.world.Project, Version: "9.9.9", Name: "box-1",
			})
			f.registered()
			b := p.browser("phone", "control", "approve")
			page := p.open(b, generation, f.session, nil)
			page.wait(`"SessionStatus"`, "active")
			page.send(object{"type": "ClaudeInput", "content": "echo:hello <you>\nrun:touch made.txt"})
			page.wait(`"ClaudeOutput"`, "hello <you>")
			asked := page.wait(`"PermissionRequest"`, "touch made.txt")
			page.send(object{"type": "PermissionResponse", "request_id": asked.Text("request_id"), "allow": true, "input": asked.Of["input"]})
			f.until("the turn has ended", func(s foreignproxy.Seen) bool { return s.Said >= 4 && s.Pending == 0 })
			page.wait(`"ClaudeOutput"`, `"type":"result"`)
			if _, err := os.Stat(filepath.Join(p.world.Project, "made.txt")); err != nil {
				t.Error("the allowed command did not run")
			}
			_, _, body, err := b.Do(http.MethodGet, "/api/sessions", "")
			if err != nil || !strings.Contains(body, `"git_branch":"main"`) || !strings.Contains(body, `"client_version":"9.9.9"`) || !strings.Contains(body, `"status":"active"`) {
				t.Errorf("sessions %s %v", body, err)
			}
			if out := p.cli(0, "session", "list"); !strings.Contains(out, "box-1") {
				t.Errorf("session list: %s", out)
			}
			f.until("everything is acknowledged", func(s foreignproxy.Seen) bool { return s.Pending == 0 })
			if s := f.Seen(); len(s.Broken) > 0 || len(s.Answers) != 1 || len(s.Inputs) != 1 {
				t.Errorf("seen %+v", s)
			}
		})
	}
}

// The portal and the daemon are killed while a proxy sends many lines and gets prompts. Every line and every prompt counts once.
func TestForeignProxyKills(t *testing.T) {
	t.Parallel()
	for generation := 1; generation <= 3; generation++ {
		t.Run(fmt.Sprint("G", generation), func(t *testing.T) {
			t.Parallel()
			p := newPortal(t, newStory(t, binaries.fake))
			f := p.proxy(foreignproxy.Options{Generation: generation, Agent: foreignproxy.Echo})
			f.registered()
			address := strings.TrimPrefix(p.URL, "http://")
			rounds, lines, said := 8, 25, 0
			for i := range rounds {
				said += lines + 3 // the agent's are three
				for n := range lines {
					f.Say(foreignproxy.AssistantLine(fmt.Sprintf("line %d of %d.", n, i)))
				}
				c := p.converseWith("phone", &pb.StartConversation{SessionId: f.session})
				key := p.say(c, fmt.Sprintf("prompt %d.", i))
				p.wait(c, 0, func(e kit.Event) bool { return e.GetUserInput().GetIdempotencyKey() == key })
				switch i % 4 {
				case 0:
					p.killDaemon()
				case 2:
					// Real proxies run a prompt twice whose acknowledgement is lost. It is not: lines behind it were stored.
					f.until("the prompt was acknowledged", func(s foreignproxy.Seen) bool { return s.Said == said && s.Pending == 0 })
					f.Say(foreignproxy.AssistantLine(fmt.Sprintf("under way %d.", i)))
					said++
					p.Kill()
					p.run("--listen", address)
				}
				f.until("prompted", func(s foreignproxy.Seen) bool { return len(s.Inputs) > i })
			}
			f.until("everything is acknowledged", func(s foreignproxy.Seen) bool { return s.Pending == 0 && s.Connected })
			events := p.history(f.session)
			for i := range rounds {
				for n := range lines {
					if got := strings.Count(events, fmt.Sprintf(`line %d of %d.`, n, i)); got != 1 {
						t.Errorf("line %d of %d came %d times", n, i, got)
					}
				}
				if got := strings.Count(events, fmt.Sprintf("You said: prompt %d.\n", i)); got != 1 {
					t.Errorf("prompt %d was answered %d times", i, got)
				}
			}
			if s := f.Seen(); len(s.Inputs) != rounds || len(s.Broken) > 0 || s.Dropped > 0 {
				t.Errorf("seen %+v", s)
			}
		})
	}
}

// history is the texts of a session's history, a line each.
func (p *portal) history(session string) string {
	p.Helper()
	stream, err := p.daemon.Resume(p.Context(), session, 0)
	if err != nil {
		p.Fatal(err)
	}
	if err := stream.WaitEnd(); err != nil {
		p.Fatal(err)
	}
	var all strings.Builder
	for _, e := range stream.Events() {
		fmt.Fprintln(&all, e.GetTextDelta().GetText())
	}
	return all.String()
}

// A session is stopped, a token revoked, a proxy disconnected: pages and proxies get the frames for it.
func TestForeignProxyEnds(t *testing.T) {
	t.Parallel()
	p := newPortal(t, newStory(t, binaries.fake))
	name := "mine"
	secret := p.token(name, "control")
	f := p.proxy(foreignproxy.Options{Generation: 3, Agent: foreignproxy.Echo, Token: &secret, Branch: "main", Second: time.Second})
	f.registered()
	b := p.browser("phone", "control", "approve")
	page := p.open(b, 3, f.session, nil)
	page.wait(`"SessionStatus"`, "active")
	f.Send(object{"type": "SessionUpdate", "session_id": f.session, "git_branch": "other"})
	page.wait(`"SessionUpdate"`, `"other"`)
	p.cli(0, "token", "revoke", name)
	f.until("closed", func(s foreignproxy.Seen) bool { return len(s.Closes) > 0 })
	if err := <-f.ended; err == nil || !strings.Contains(err.Error(), "Authentication failed") {
		t.Errorf("a revoked proxy ends with %v", err)
	}
	f.ended <- nil
	page.wait(`"SessionStatus"`, "disconnected")
	_, _, body, err := b.Do(http.MethodGet, "/api/sessions", "")
	if err != nil || !strings.Contains(body, `"status":"disconnected"`) {
		t.Errorf("sessions %s %v", body, err)
	}
	old := p.proxy(foreignproxy.Options{Generation: 1, Agent: foreignproxy.Echo})
	old.registered()
	p.cli(0, "session", "stop", old.session)
	old.until("refused", func(s foreignproxy.Seen) bool { return len(s.Refused) > 0 })
	if s := old.Seen(); s.Shutdowns > 0 || !strings.Contains(s.Closes[0], "the session has ended") || s.Refused[0] != "Failed to reactivate session" {
		t.Errorf("a stopped proxy of G1 sees %+v", s)
	}
	for generation := 2; generation <= 3; generation++ {
		g := p.proxy(foreignproxy.Options{Generation: generation, Agent: foreignproxy.Echo})
		g.registered()
		p.cli(0, "session", "stop", g.session)
		if err := <-g.ended; err == nil || !strings.Contains(err.Error(), "terminated") {
			t.Errorf("a stopped proxy of G%d ends with %v", generation, err)
		}
		g.ended <- nil
	}
}

// A proxy of G3 asks which session it continues.
func TestResolveSession(t *testing.T) {
	t.Parallel()
	p := newPortal(t, newStory(t, binaries.fake))
	secret, other, viewer := p.token("mine", "control"), p.token("other", "control"), p.token("viewer", "view")
	f := p.proxy(foreignproxy.Options{Generation: 3, Token: &secret, Directory: "/work", Hostname: "box", Name: "box-1"})
	f.registered()
	b := p.Browser()
	b.Header.Del("Origin")
	ask := func(token, directory, host string) (int, string) {
		status, _, body, err := b.Do(http.MethodPost, "/api/proxy/resolve-session",
			fmt.Sprintf(`{"auth_token":%q,"working_directory":%q,"hostname":%q,"agent_type":"claude"}`, token, directory, host))
		if err != nil {
			t.Fatal(err)
		}
		return status, body
	}
	if status, body := ask(secret, "/work", "box"); status != http.StatusOK || !strings.Contains(body, f.session) || !strings.Contains(body, "box-1") {
		t.Errorf("%d %s", status, body)
	}
	for _, c := range []struct {
		token, directory, host string
		want                   int
	}{
		{secret, "/other", "box", http.StatusNotFound},
		{secret, "/work", "elsewhere", http.StatusNotFound},
		{other, "/work", "box", http.StatusNotFound},
		{viewer, "/work", "box", http.StatusUnauthorized},
		{"wrong", "/work", "box", http.StatusUnauthorized},
		{"", "/work", "box", http.StatusUnauthorized},
	} {
		if status, body := ask(c.token, c.directory, c.host); status != c.want || strings.Contains(body, f.session) {
			t.Errorf("%v: %d %s", c, status, body)
		}
	}
}
