package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"betcode/tests/kit"
)

// portal is a story with a portal in front of its daemon.
type portal struct {
	*story
	*kit.Portal
}

func newPortal(t *testing.T, s *story, arguments ...string) *portal {
	t.Helper()
	p := &portal{s, nil}
	p.run(arguments...)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the portal's log:\n%s", p.Log())
		}
		p.Kill()
	})
	return p
}

func (p *portal) run(arguments ...string) {
	p.Helper()
	started, err := p.world.Portal(arguments...)
	if err != nil {
		p.Fatal(err)
	}
	p.Portal = started
}

// browser is a browser that has logged in with scopes.
func (p *portal) browser(name string, scopes ...string) *kit.Browser {
	p.Helper()
	code, err := p.world.Code(name, scopes...)
	if err != nil {
		p.Fatal(err)
	}
	b := p.Browser()
	if err := b.Enter(code); err != nil {
		p.Fatal(err)
	}
	return b
}

// shown is one page of a browser. Errors end the test.
type shown struct {
	*testing.T
	*kit.Page
}

func (p *portal) open(b *kit.Browser, generation int, session string, more map[string]any) *shown {
	p.Helper()
	page, status, err := b.Open()
	if err != nil {
		p.Fatal(status, err)
	}
	p.Cleanup(page.Close)
	s := &shown{p.T, page}
	if err := page.Register(generation, session, more); err != nil {
		p.Fatal(err)
	}
	return s
}

func (s *shown) send(frame any) {
	s.Helper()
	if err := s.Send(frame); err != nil {
		s.Fatal(err)
	}
}

func (s *shown) wait(texts ...string) kit.AgentLine {
	s.Helper()
	l, err := s.Wait(texts...)
	if err != nil {
		s.Fatal(err)
	}
	return l
}

// begin begins a session with a turn and returns its id.
func (p *portal) begin(prompt string) string {
	p.Helper()
	return p.runs(prompt)
}

// A page of each generation sees a session of the daemon, its history and what happens, types, and
// answers a request.
func TestPortal(t *testing.T) {
	t.Parallel()
	for generation := 1; generation <= 3; generation++ {
		t.Run(fmt.Sprint("G", generation), func(t *testing.T) {
			t.Parallel()
			p := newPortal(t, newStory(t, binaries.fake))
			session := p.begin("echo:from the terminal")
			b := p.browser("phone", "control", "approve")
			page := p.open(b, generation, session, nil)
			want := `"HistoryBatch"`
			if generation == 1 {
				want = `"ClaudeOutput"`
			}
			page.wait(want, "from the terminal")
			page.wait(`"SessionStatus"`, "active")
			page.send(object{"type": "ClaudeInput", "content": "run:touch made.txt", "client_msg_id": "0b0e8a10-0000-4000-8000-00000000000a"})
			page.send(object{"type": "ClaudeInput", "content": "run:touch made.txt", "client_msg_id": "0b0e8a10-0000-4000-8000-00000000000a"})
			asked := page.wait(`"PermissionRequest"`)
			page.send(object{"type": "PermissionResponse", "request_id": asked.Text("request_id"), "allow": true, "input": asked.Of["input"]})
			page.wait(`"ClaudeOutput"`, `"type":"result"`)
			if _, err := os.Stat(filepath.Join(p.world.Project, "made.txt")); err != nil {
				t.Error("the allowed command did not run")
			}
			count := 0
			for _, f := range page.Frames {
				if strings.Contains(f.Raw, `"type":"user"`) && strings.Contains(f.Raw, `"text":"run:touch made.txt"`) {
					count++
				}
				if generation < 3 && (strings.Contains(f.Raw, `"meta"`) || strings.Contains(f.Raw, `"InputProgress"`)) {
					t.Errorf("to G%d: %s", generation, f.Raw)
				}
			}
			if generation == 3 && count != 1 {
				t.Errorf("the message was said %d times", count)
			}
			status, _, body, err := b.Do(http.MethodGet, "/api/sessions/"+session+"/messages", "")
			if err != nil || status != http.StatusOK || !strings.Contains(body, "from the terminal") {
				t.Fatalf("%d %s %v", status, body, err)
			}
			var rows struct {
				Messages []struct {
					At string `json:"created_at"`
				} `json:"messages"`
			}
			if err := json.Unmarshal([]byte(body), &rows); err != nil {
				t.Fatal(err)
			}
			late := p.open(b, generation, session, map[string]any{"replay_after": rows.Messages[len(rows.Messages)-1].At})
			late.wait(`"SessionStatus"`)
			for _, f := range late.Frames {
				if strings.Contains(f.Raw, "from the terminal") {
					t.Errorf("sent again: %s", f.Raw)
				}
			}
		})
	}
}

// The daemon and the portal are killed: nothing is lost, doubled, or to be logged in to again.
func TestPortalKilled(t *testing.T) {
	t.Parallel()
	p := newPortal(t, newStory(t, binaries.fake))
	session := p.begin("echo:one")
	b := p.browser("phone", "control", "approve")
	page := p.open(b, 3, session, nil)
	page.wait(`"SessionStatus"`)
	p.killDaemon()
	page.send(object{"type": "ClaudeInput", "content": "echo:two"})
	page.wait(`"ClaudeOutput"`, `"type":"result"`)
	p.Kill()
	if !page.Ended() {
		t.Error("the page stays open")
	}
	p.run()
	b.Base = p.URL
	b.Header.Set("Origin", p.URL)
	again := p.open(b, 2, session, nil)
	again.wait(`"SessionStatus"`)
	all := ""
	for _, f := range again.Frames {
		all += f.Raw
	}
	for _, text := range []string{"one", "two"} {
		if n := strings.Count(all, `"text":"`+text+`"`); n != 1 {
			t.Errorf("%q is there %d times: %s", text, n, all)
		}
	}
	if code, err := p.Stop(); err != nil || code != 0 {
		t.Errorf("stopped with %d %v", code, err)
	}
	again.wait(`"ServerShutdown"`)
}

// The real Claude Code behind the portal: a prompt of a page, a permission, the result.
func TestPortalRealAgent(t *testing.T) {
	t.Parallel()
	s, _ := newReal(t)
	p := newPortal(t, s)
	session := p.begin("hello")
	page := p.open(p.browser("phone", "control", "approve"), 2, session, nil)
	page.wait(`"SessionStatus"`)
	page.send(object{"type": "ClaudeInput", "content": "run: touch made.txt && echo made"})
	asked := page.wait(`"PermissionRequest"`, `"Bash"`)
	page.send(object{"type": "PermissionResponse", "request_id": asked.Text("request_id"), "allow": true, "input": asked.Of["input"]})
	page.wait(`"tool_result"`, "made")
	page.wait(`"ClaudeOutput"`, `"type":"result"`)
}

// A page of each generation repeats a prompt, gets the progress, and ends it. The repetition goes
// on while portal and daemon are killed.
func TestPortalRepeats(t *testing.T) {
	t.Parallel()
	p := newPortal(t, newStory(t, binaries.fake))
	b := p.browser("phone", "control")
	wiggum := func(prompt string) object {
		return object{"type": "ClaudeInput", "content": prompt, "send_mode": "wiggum"}
	}
	for generation := 1; generation <= 3; generation++ {
		page := p.open(b, generation, p.begin("echo:hello"), nil)
		page.wait(`"SessionStatus"`)
		page.send(wiggum("until:2"))
		page.wait(`"portal"`, "**Wiggum** loop **1** / 50")
		page.wait(`"portal"`, "**Wiggum** loop **2** / 50")
		page.wait(`"portal"`, "**Wiggum complete** after **2** iterations (total: ")
		page.send(wiggum("gate:never\nuntil:9"))
		page.wait(`"portal"`, "**Wiggum** loop **1** / 50")
		page.send(wiggum("until:1"))
		page.wait(`"Error"`, "repeats a message already")
		if generation == 1 {
			page.send(object{"type": "StopRepeat"})
		} else {
			page.send(object{"type": "Interrupt"})
		}
		page.wait(`"portal"`, "**Wiggum stopped** after **1** iteration (total: ")
		page.send(object{"type": "ClaudeInput", "content": "echo:x", "send_mode": "forever"})
		page.wait(`"Error"`, "send mode is not known")
	}
	session := p.begin("echo:hello")
	page := p.open(b, 3, session, nil)
	page.wait(`"SessionStatus"`)
	page.send(wiggum("gate:go\nuntil:3"))
	page.wait("**Wiggum** loop **1** / 50")
	p.Kill()
	p.killDaemon()
	p.create("go")
	p.run()
	b.Base = p.URL
	b.Header.Set("Origin", p.URL)
	again := p.open(b, 3, session, nil)
	again.wait("**Wiggum complete** after **3** iterations")
}
