package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"betcode/tests/foreignportal"
	"betcode/tests/kit"
)

// proxied is a story with a session that a proxy registers at a foreign portal.
type proxied struct {
	*story
	portal *foreignportal.Server
	proxy  *kit.Proxy
	id     string
	flags  []string
}

// newProxied begins a session with a turn and registers it.
func newProxied(t *testing.T, s *story, generation int, prompt string, flags ...string) *proxied {
	t.Helper()
	p := &proxied{story: s, portal: foreignportal.NewServer(generation), flags: flags}
	t.Cleanup(p.portal.Close)
	p.id = p.runs(prompt)
	p.flags = append([]string{"--backend-url", p.portal.URL, "--session", p.id, "--generation", fmt.Sprint("g", generation)}, flags...)
	p.run()
	t.Cleanup(func() {
		p.proxy.Kill()
		for _, c := range p.portal.Complaints() {
			t.Errorf("the portal cannot read this: %s", c)
		}
		if t.Failed() {
			t.Logf("the proxy's log:\n%s", p.proxy.Log())
		}
	})
	return p
}

// run runs the proxy until the session is registered.
func (p *proxied) run() {
	p.Helper()
	started, err := p.world.Proxy(p.flags...)
	if err != nil {
		p.Fatal(err)
	}
	p.proxy = started
	if err := started.Registered(); err != nil {
		p.Fatal(err)
	}
	if started.Session != p.id {
		p.Fatalf("registered %q", started.Session)
	}
}

func (p *proxied) until(what string, is func(foreignportal.Session) bool) foreignportal.Session {
	p.Helper()
	s, err := p.portal.Wait(p.id, what, is)
	if err != nil {
		for _, l := range s.Lines {
			p.Logf("%d %.300s", l.Seq, l.Content)
		}
		p.Fatal(err)
	}
	return s
}

// results returns how many turns have ended at the portal.
func results(s foreignportal.Session) (n int) {
	for _, l := range s.Lines {
		if strings.Contains(string(l.Content), `"type":"result"`) {
			n++
		}
	}
	return n
}

// says reports whether a line, or one without a number, contains a text.
func says(s foreignportal.Session, text string) bool { return count(s, text) > 0 }

func count(s foreignportal.Session, text string) (n int) {
	for _, l := range s.Lines {
		n += strings.Count(string(l.Content), text)
	}
	for _, l := range s.Loose {
		n += strings.Count(string(l), text)
	}
	return n
}

// once checks that the session has each line once, in order.
func (p *proxied) once(s foreignportal.Session) {
	p.Helper()
	seen, last := map[string]bool{}, uint64(0)
	for _, l := range s.Lines {
		var head struct {
			Type string `json:"type"`
			UUID string `json:"uuid"`
		}
		if err := json.Unmarshal(l.Content, &head); err != nil {
			p.Fatal(err)
		}
		if l.Seq <= last {
			p.Errorf("line %d follows %d", l.Seq, last)
		}
		if last = l.Seq; head.UUID != "" && seen[head.UUID] {
			p.Errorf("twice: %s", l.Content)
		}
		seen[head.UUID] = true
	}
}

// A session is seen, prompted, approved and interrupted at a portal of each generation.
func TestProxy(t *testing.T) {
	t.Parallel()
	for generation := 1; generation <= 3; generation++ {
		t.Run(fmt.Sprint("G", generation), func(t *testing.T) {
			t.Parallel()
			p := newProxied(t, newStory(t, binaries.fake), generation, "echo:from the terminal")
			s := p.until("the history", func(s foreignportal.Session) bool { return results(s) == 1 })
			if !says(s, "from the terminal") || s.Directory != p.world.Project || s.Name == "" {
				t.Errorf("session %+v", s)
			}
			p.portal.Say(p.id, "run:touch made.txt", "", "0b0e8a10-0000-4000-8000-00000000000a")
			s = p.until("a request", func(s foreignportal.Session) bool { return s.Request != nil })
			if s.Request["tool_name"] != "Bash" {
				t.Errorf("request %v", s.Request)
			}
			p.portal.Answer(p.id, foreignportal.Frame{"request_id": s.Request["request_id"], "allow": true, "input": s.Request["input"]})
			s = p.until("the result", func(s foreignportal.Session) bool { return results(s) == 2 })
			if _, err := os.Stat(filepath.Join(p.world.Project, "made.txt")); err != nil {
				t.Error("the allowed command did not run")
			}
			if s.Acked != 1 || len(s.Pending) != 0 || count(s, `"text":"run:touch made.txt"`) != 1 {
				t.Errorf("acknowledged up to %d, pending %v", s.Acked, s.Pending)
			}
			if generation == 3 && strings.Join(s.Progress, " ") != "0b0e8a10-0000-4000-8000-00000000000a proxy_received 0b0e8a10-0000-4000-8000-00000000000a agent_accepted" {
				t.Errorf("progress %v", s.Progress)
			}
			if generation > 1 {
				p.portal.Say(p.id, "gate:never", "", "")
				p.until("the turn", func(s foreignportal.Session) bool { return says(s, `"text":"gate:never"`) })
				p.portal.Send(p.id, foreignportal.Frame{"type": "Interrupt"})
				p.until("the end of the turn", func(s foreignportal.Session) bool { return results(s) == 3 })
			}
			p.once(s)
			if code, err := p.proxy.Stop(); code != 0 || err != nil {
				t.Errorf("stopped with %d %v", code, err)
			}
		})
	}
}
