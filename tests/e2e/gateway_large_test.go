package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"betcode/tests/foreignproxy"
	"betcode/tests/kit"
)

// A line of 20 MiB of an agent passes from its proxy to a page and to a client of the agent socket, text whole and the result of
// a tool cut to 1 MiB, in bounded memory; later lines follow.
func TestLargeLines(t *testing.T) {
	t.Parallel()
	const size = 19 << 20
	p := newPortal(t, newStory(t, binaries.fake))
	f := p.proxy(foreignproxy.Options{Generation: 3, Second: time.Hour}) // it waits for its heartbeats, also on a slow machine
	f.registered()
	b := p.browser("phone", "control")
	page := p.open(b, 3, f.session, nil)
	page.wait(`"SessionStatus"`, "active")
	large := strings.Repeat("x", size)
	f.Say(foreignproxy.AssistantLine("first:" + large))
	f.Say(object{"type": "user", "message": object{"role": "user", "content": []any{
		object{"type": "tool_result", "tool_use_id": "t1", "content": "second:" + large},
	}}})
	f.Say(foreignproxy.AssistantLine("and on"))
	if text := page.wait(`"assistant"`, "first:"); len(text.Raw) < size {
		t.Errorf("the text has %d bytes", len(text.Raw))
	}
	if result := page.wait(`"tool_result"`, "second:"); len(result.Raw) >= size || !strings.Contains(result.Raw, fmt.Sprintf("[The first %d of %d bytes are shown.]", 1<<20, size+len("second:"))) {
		t.Errorf("the result of a tool has %d bytes and ends with %.200s", len(result.Raw), result.Raw[max(0, len(result.Raw)-200):])
	}
	page.wait(`"assistant"`, "and on")
	f.until("everything is acknowledged", func(s foreignproxy.Seen) bool { return s.Pending == 0 })

	g := newGateway(t, p.story)
	a := g.dial()
	a.send(object{"type": "attach_session", "sessionId": "s", "claudeSessionId": f.session, "fromSequence": 0, "watch": true})
	whole := false
	for _, l := range a.until("session_attached") {
		whole = whole || l.Is("assistant_text") && len(l.Raw) > size
	}
	if !whole {
		t.Error("the agent socket does not show the text")
	}
	a.send(object{"type": "send_prompt", "sessionId": "s", "prompt": strings.Repeat("y", size)})
	a.wait("error")
	for name, memory := range map[string]func() (int, error){"portal": p.Memory, "agent socket": g.Memory} {
		peak, err := memory()
		if err != nil || peak > 512<<20 {
			t.Errorf("%s: %d MiB at most, %v", name, peak>>20, err)
		}
		t.Logf("%s: %d MiB at most", name, peak>>20)
	}
}

// until waits for a line and returns all before it.
func (a *agent) until(kind string) []kit.AgentLine {
	a.Helper()
	a.wait(kind)
	return a.Lines
}
