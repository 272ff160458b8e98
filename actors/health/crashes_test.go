package health

import (
	"strings"
	"testing"
	"time"
)

func TestHealthCountsCrashes(t *testing.T) {
	var s state
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	line := func() (text, state string) {
		for _, c := range s.components(now, 0, 0) {
			if c.Name == "agents" {
				return c.Message, c.State
			}
		}
		return "", ""
	}
	if text, _ := line(); text != "" {
		t.Errorf("without a crash: %q", text)
	}
	for i := range 5 {
		if text, state := line(); i > 0 && (state != "" || !strings.HasPrefix(text, string(rune('0'+i))+" crashes in 10 minutes")) {
			t.Errorf("%d crashes: %q, state %q", i, text, state)
		}
		now = now.Add(time.Minute)
		s, _ = s.step(now, nil, AgentCrashed{"a"})
	}
	if text, state := line(); state != "agents_crashing" || !strings.Contains(text, string("a")) {
		t.Errorf("5 crashes: %q, state %q", text, state)
	}
	now = now.Add(8 * time.Minute)
	if text, state := line(); state != "" || !strings.HasPrefix(text, "2 crashes in 10 minutes, 5 since") {
		t.Errorf("later: %q, state %q", text, state)
	}
	for range 2 * crashesKept {
		s, _ = s.step(now, nil, AgentCrashed{"a"})
	}
	if len(s.crashes.recent) > crashesKept {
		t.Errorf("%d are remembered", len(s.crashes.recent))
	}
}
