package e2e

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/foreignportal"
	"betcode/tests/kit"
)

// Proxy, daemon and portal are killed in the middle of turns: each line is at the portal once, in order, each prompt
// enters the conversation once, and the pending request is shown again.
func TestProxyKilled(t *testing.T) {
	t.Parallel()
	p := newProxied(t, newStory(t, binaries.fake), 2, "echo:one")
	p.until("the history", func(s foreignportal.Session) bool { return results(s) == 1 })
	p.portal.Say(p.id, "echo:before\ngate:go\nrun:touch made.txt\necho:after", "", "")
	p.until("the beginning of the turn", func(s foreignportal.Session) bool { return says(s, `"before"`) })
	p.proxy.Kill()
	p.create("go")
	p.portal.Say(p.id, "echo:while away", "", "") // before RegisterAck, thrown away, and again behind it
	p.run()
	asked := p.until("the request", func(s foreignportal.Session) bool { return s.Request != nil })
	p.killDaemon()
	p.proxy.Kill()
	p.run()
	p.until("the request again", func(s foreignportal.Session) bool { return len(s.Requests) > len(asked.Requests) })
	p.portal.Cut()
	again := p.until("another registration", func(s foreignportal.Session) bool {
		return s.Registered == 4 && len(s.Requests) > len(asked.Requests)+1
	})
	p.portal.Answer(p.id, foreignportal.Frame{"request_id": again.Request["request_id"], "allow": true, "input": again.Request["input"]})
	s := p.until("the end of the turn", func(s foreignportal.Session) bool { return results(s) == 2 && len(s.Pending) == 0 })
	p.once(s)
	for _, text := range []string{`"one"`, `"before"`, `"after"`, `"text":"echo:while away"`, `"text":"echo:before\ngate:go`} {
		n := 0
		for _, l := range s.Lines {
			if !strings.Contains(string(l.Content), `"type":"result"`) {
				n += strings.Count(string(l.Content), text)
			}
		}
		if n != 1 {
			t.Errorf("%s is there %d times", text, n)
		}
	}
}

// Another client decides a request that the portal shows: people there get a note. Then the portal answers too late,
// and gets a note as well.
func TestProxyIsToldWhoDecided(t *testing.T) {
	t.Parallel()
	p := newProxied(t, newStory(t, binaries.fake), 3, "echo:one")
	p.portal.Say(p.id, "run:touch made.txt", "", "")
	s := p.until("the request", func(s foreignportal.Session) bool { return s.Request != nil })
	phone := p.converseWith("phone", &pb.StartConversation{SessionId: p.id})
	asked, _ := p.wait(phone, 0, kit.IsPermission)
	p.answer(phone, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	p.until("the note", func(s foreignportal.Session) bool { return says(s, "was allowed by phone") })
	p.portal.Answer(p.id, foreignportal.Frame{"request_id": s.Request["request_id"], "allow": false})
	p.until("the second note", func(s foreignportal.Session) bool { return says(s, "no longer waits") })
	p.eventually("the command runs", func() bool { return p.exists("made.txt") })
}

// A portal ends a session: its agent is stopped, the proxy ends and does not come back. With
// --on-terminate detach the session goes on.
func TestProxyTerminated(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"stop", "detach"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			p := newProxied(t, newStory(t, binaries.fake), 3, "echo:one", "--on-terminate", what)
			p.portal.Say(p.id, "gate:never", "", "")
			p.until("the turn", func(s foreignportal.Session) bool { return says(s, `"text":"gate:never"`) })
			p.portal.Send(p.id, foreignportal.Frame{"type": "SessionTerminated", "reason": "Session stopped by user"})
			if code, err := p.proxy.Ended(); code != 0 || err != nil {
				t.Errorf("ended with %d %v", code, err)
			}
			view, err := p.daemon.Admin().ShowSession(t.Context(), &pb.ShowSessionRequest{SessionId: p.id})
			if err != nil {
				t.Fatal(err)
			}
			if runs := view.GetRun().GetState() == pb.RunState_RUN_STATE_STARTED; runs != (what == "detach") {
				t.Errorf("the agent runs: %v", runs)
			}
		})
	}
}

// The proxy waits as long as a portal announces for its restart; then the session is registered again.
func TestProxyShutdown(t *testing.T) {
	t.Parallel()
	p := newProxied(t, newStory(t, binaries.fake), 3, "echo:one")
	p.until("the history", func(s foreignportal.Session) bool { return results(s) == 1 })
	began := time.Now()
	p.portal.Send(p.id, foreignportal.Frame{"type": "ServerShutdown", "reason": "Server is restarting", "reconnect_delay_ms": 2000})
	p.until("another registration", func(s foreignportal.Session) bool { return s.Registered == 2 })
	if waited := time.Since(began); waited < 2*time.Second {
		t.Errorf("it came back after %s", waited)
	}
}

// A file of the portal is stored outside the project, replaces nothing, and a note has its path.
func TestProxyUpload(t *testing.T) {
	t.Parallel()
	p := newProxied(t, newStory(t, binaries.fake), 3, "echo:one")
	for n, id := range []string{"u1", "u2"} {
		p.portal.Send(p.id, foreignportal.Frame{
			"type": "FileUploadStart", "upload_id": id, "filename": "../../x/photo.png", "content_type": "image/png", "total_chunks": 2, "total_size": 6,
		})
		for i, part := range []string{"def", "abc"} { // out of order
			p.portal.Send(p.id, foreignportal.Frame{
				"type": "FileUploadChunk", "upload_id": id, "chunk_index": 1 - i, "data": base64.StdEncoding.EncodeToString([]byte(part)),
			})
		}
		p.until("the result", func(s foreignportal.Session) bool {
			return s.Uploads[id] && strings.Count(strings.Join(looseOf(s), " "), "is stored as") == n+1
		})
	}
	stored, err := filepath.Glob(filepath.Join(p.world.StateDir(), "proxies", "*", "uploads", "*"))
	if err != nil || len(stored) != 2 {
		t.Fatal(stored, err)
	}
	for _, path := range stored {
		if raw, err := os.ReadFile(path); err != nil || string(raw) != "abcdef" || !strings.HasPrefix(filepath.Base(path), "photo") {
			t.Errorf("%s has %q %v", path, raw, err)
		}
	}
}

func looseOf(s foreignportal.Session) (all []string) {
	for _, l := range s.Loose {
		all = append(all, string(l))
	}
	return all
}

// A session has one proxy at a portal; a refused one prints a hint.
func TestProxyRefusals(t *testing.T) {
	t.Parallel()
	p := newProxied(t, newStory(t, binaries.fake), 3, "echo:one")
	for _, c := range []struct {
		arguments []string
		code      int
		why       string
	}{
		{p.flags, 1, "another proxy has this session"},
		{[]string{"--backend-url", p.portal.URL}, 5, "which session?"},
		{[]string{"--session", p.id}, 5, "where is the portal?"},
		{[]string{"--session", "nothing", "--backend-url", p.portal.URL}, 6, "nothing"},
		{[]string{"--session", p.id, "--backend-url", "ws://portal.example"}, 3, "there is no TLS"},
		{[]string{"--session", p.id, "--backend-url", "ftp://x"}, 5, "its scheme"},
		{[]string{"--session", p.id, "--backend-url", p.portal.URL, "--generation", "g4"}, 5, "--generation is g1, g2 or g3"},
		{[]string{"--session", p.id, "--init", "https://portal.example/p/x!"}, 5, "init URL"},
	} {
		started, err := p.world.Proxy(c.arguments...)
		if err != nil {
			t.Fatal(err)
		}
		code, err := started.Ended()
		if err != nil || code != c.code || !strings.Contains(started.Log(), c.why) {
			t.Errorf("%v: %d %v %s", c.arguments, code, err, started.Log())
		}
	}
	other := foreignportal.NewServer(3)
	t.Cleanup(other.Close)
	other.Token = "right"
	for _, token := range []string{"wrong", "right"} {
		file := filepath.Join(p.world.Root, token)
		if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		started, err := p.world.Proxy("--backend-url", other.URL, "--session", p.id, "--auth-token-file", file)
		if err != nil {
			t.Fatal(err)
		}
		if token == "right" {
			if err := started.Registered(); err != nil {
				t.Error(err)
			}
			started.Kill()
			break
		}
		if code, err := started.Ended(); err != nil || code != 3 || !strings.Contains(started.Log(), "proxy login") {
			t.Errorf("%d %v %s", code, err, started.Log())
		}
	}
}

// A login by code gives a token, which the next proxy uses; logging out removes it.
func TestProxyLogin(t *testing.T) {
	t.Parallel()
	p := newProxied(t, newStory(t, binaries.fake), 3, "echo:one")
	other := foreignportal.NewServer(3)
	t.Cleanup(other.Close)
	other.Token = foreignportal.DeviceJWT
	other.Approve()
	said, code := p.command(p.world.Binary, []string{"proxy", "login", "--backend-url", other.URL})
	if code != 0 || !strings.Contains(said, foreignportal.UserCode) || strings.Contains(said, foreignportal.DeviceJWT) {
		t.Fatalf("%d %s", code, said)
	}
	saved, err := filepath.Glob(filepath.Join(p.world.StateDir(), "proxies", "tokens", "*"))
	if err != nil || len(saved) != 1 {
		t.Fatal(saved, err)
	}
	if info, err := os.Stat(saved[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v %v", info, err)
	}
	started, err := p.world.Proxy("--backend-url", other.URL, "--session", p.id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(started.Kill)
	if err := started.Registered(); err != nil {
		t.Error(err)
	}
	p.cli(0, "proxy", "logout", "--backend-url", other.URL)
	if _, err := os.Stat(saved[0]); err == nil {
		t.Error("the token is still there")
	}
}

// The real Claude Code behind a proxy: a prompt of the portal, a permission, the result; then a question.
func TestProxyRealAgent(t *testing.T) {
	t.Parallel()
	s, _ := newReal(t)
	p := newProxied(t, s, 3, "hello")
	p.portal.Say(p.id, "run: touch made.txt && echo made", "", "")
	asked := p.until("the request", func(s foreignportal.Session) bool { return s.Request != nil })
	p.portal.Answer(p.id, foreignportal.Frame{"request_id": asked.Request["request_id"], "allow": true, "input": asked.Request["input"]})
	done := p.until("the result", func(s foreignportal.Session) bool { return results(s) == 2 })
	if !p.exists("made.txt") || !says(done, `"tool_result"`) {
		t.Error("the command did not run")
	}
	p.once(done)
}

// A prompt that a portal wants repeated is repeated by the daemon, also while proxy and daemon are away.
func TestProxyRepeats(t *testing.T) {
	t.Parallel()
	p := newProxied(t, newStory(t, binaries.fake), 2, "echo:one")
	p.portal.Say(p.id, "gate:go\nuntil:3", "wiggum", "")
	p.until("the first prompt", func(s foreignportal.Session) bool { return says(s, "loop **1** / 50") && len(s.Pending) == 0 })
	p.proxy.Kill()
	p.killDaemon()
	p.create("go")
	p.run()
	s := p.until("the last prompt", func(s foreignportal.Session) bool { return says(s, "**Wiggum complete** after **3** iterations") })
	p.once(s)
	p.portal.Say(p.id, "echo:x", "forever", "")
	p.until("the refusal", func(s foreignportal.Session) bool { return says(s, "does not know that mode") && len(s.Pending) == 0 })
}
