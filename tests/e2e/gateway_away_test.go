package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/foreignportal"
	"betcode/tests/foreignproxy"
	"betcode/tests/kit"
)

// A session is deleted while its proxy is connected. Lines that come later are not acknowledged, and the proxy is not
// registered again.
func TestDeletedUnderItsProxy(t *testing.T) {
	t.Parallel()
	p := newPortal(t, newStory(t, binaries.fake))
	owner := p.browser("desk", "admin")
	for generation := 1; generation <= 3; generation++ {
		f := p.proxy(foreignproxy.Options{ // which waits for its heartbeats, also on a slow machine
			Generation: generation, Agent: foreignproxy.Echo, Second: time.Hour, Backoff: 100 * time.Millisecond,
		})
		f.registered()
		f.Say(foreignproxy.AssistantLine("kept."))
		f.Say(foreignproxy.AssistantLine("kept, too."))
		f.until("the lines are stored", func(s foreignproxy.Seen) bool { return s.Said == 2 && s.Pending == 0 })
		page := p.open(owner, generation, f.session, nil)
		page.wait(`"SessionStatus"`, "active")
		p.call(owner, http.StatusNoContent, http.MethodDelete, "/api/sessions/"+f.session, nil)
		if generation == 1 {
			f.until("refused", func(s foreignproxy.Seen) bool { return len(s.Refused) > 0 })
		} else if err := <-f.ended; err == nil || !strings.Contains(err.Error(), "terminated") {
			t.Errorf("a proxy of G%d ends with %v", generation, err)
		} else {
			f.ended <- nil
		}
		f.Say(foreignproxy.AssistantLine("too late."))
		if s := f.Seen(); s.Pending == 0 || s.Registered != 1 {
			t.Errorf("G%d sees %+v", generation, s)
		}
		if !page.Ended() {
			t.Errorf("the page of G%d stays", generation)
		}
		p.call(owner, http.StatusNotFound, http.MethodGet, "/api/sessions/"+f.session, nil)
	}
}

// The proxy is disconnected while its session writes more lines than foreign proxies store. The portal gets every line, once and
// in order.
func TestProxyWasAwayForLong(t *testing.T) {
	t.Parallel()
	const lines = 1500
	p := newProxied(t, newStory(t, binaries.fake), 2, "echo:one")
	p.until("the history", func(s foreignportal.Session) bool { return results(s) == 1 })
	p.proxy.Kill()
	var prompt strings.Builder
	for n := range lines {
		fmt.Fprintf(&prompt, "echo:line%d.\n", n)
	}
	c := p.converseWith("phone", &pb.StartConversation{SessionId: p.id})
	p.say(c, strings.TrimSuffix(prompt.String(), "\n"))
	p.wait(c, 0, kit.IsTurnComplete)
	p.run()
	s := p.until("the result", func(s foreignportal.Session) bool { return results(s) == 2 })
	p.once(s)
	var all strings.Builder
	for _, l := range s.Lines {
		if strings.Contains(string(l.Content), `"type":"assistant"`) {
			all.Write(l.Content)
		}
	}
	for n := range lines {
		if got := strings.Count(all.String(), fmt.Sprintf(`"line%d."`, n)); got != 1 {
			t.Fatalf("line %d is there %d times", n, got)
		}
	}
}

// Prompts wait for a disconnected proxy, more than other servers store, and arrive in order, each once.
func TestManyPromptsForAProxyThatIsAway(t *testing.T) {
	t.Parallel()
	const prompts = 150
	p := newPortal(t, newStory(t, binaries.fake))
	var all []*foreign
	for generation := 1; generation <= 3; generation++ {
		f := p.proxy(foreignproxy.Options{Generation: generation, Agent: foreignproxy.Echo})
		f.registered()
		all = append(all, f)
	}
	address := strings.TrimPrefix(p.URL, "http://")
	p.Kill()
	for _, f := range all {
		c := p.converseWith("phone", &pb.StartConversation{SessionId: f.session})
		for n := range prompts {
			key := p.say(c, fmt.Sprintf("prompt %d.", n))
			p.wait(c, 0, func(e kit.Event) bool { return e.GetUserInput().GetIdempotencyKey() == key })
		}
	}
	p.killDaemon()
	p.run("--listen", address)
	for _, f := range all {
		f.until("prompted", func(s foreignproxy.Seen) bool { return len(s.Inputs) >= prompts && s.Pending == 0 })
		for n, in := range f.Seen().Inputs {
			if in.Text != fmt.Sprintf("prompt %d.", n) {
				t.Fatalf("input %d is %q", n, in.Text)
			}
		}
	}
}
