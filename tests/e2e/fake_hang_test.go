package e2e

import (
	"slices"
	"strings"
	"testing"

	"betcode/tests/kit"
)

// TestAgentHangs: an agent that says nothing in the middle of a turn is
// interrupted; one that does not react to that is ended and started again, and
// its turn goes on. The conversation has the message once.
func TestAgentHangs(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake, "BETCODE_AGENT_SILENCE=2s")
	id := session()
	c := s.converse("a", id)
	key := s.say(c, "hang\necho:awake again")
	_, next := s.wait(c, 0, func(e kit.Event) bool { return e.GetNotice().GetCode() == "AGENT_SILENT" })
	_, next = s.wait(c, next, kit.IsIdle)
	for said := 0; ; said++ { // on a busy machine, two seconds may be over before an honest agent has spoken
		s.say(c, "echo:and on")
		_, next = s.wait(c, next, kit.IsIdle)
		got := kit.Text(c.Events())
		if strings.HasSuffix(got, "and on") {
			break
		}
		if said == 10 {
			t.Fatalf("text %q", got)
		}
	}
	if n := s.accepted(id, key); n != 1 {
		t.Errorf("the message was taken into the conversation %d times", n)
	}
}

// TestMessageToTheDeaf: a message that lies in the pipe when the agent closes its input is
// not waited for until the watchdog comes; the next agent gets it, and takes it once. What
// the deaf one had said before stays.
func TestMessageToTheDeaf(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	s.say(c, "echo:hello") // what the daemon wants to know about a new agent, it asks now
	_, next := s.wait(c, 0, kit.IsIdle)
	s.say(c, "deaf\necho:still here")
	_, next = s.wait(c, next, kit.IsIdle)
	key := s.say(c, "echo:who has this")
	_, next = s.wait(c, next, func(e kit.Event) bool { return e.GetNotice().GetCode() == "AGENT_DEAF" })
	s.wait(c, next, func(e kit.Event) bool { return slices.Contains(e.GetTurnComplete().GetInputKeys(), key) })
	_, end := s.wait(c, next, kit.IsIdle)
	if got := kit.Text(c.Events()[:end]); strings.Count(got, "who has this") != 1 || strings.Count(got, "still here") != 1 {
		t.Errorf("text %q", got)
	}
	if n := s.accepted(id, key); n != 1 {
		t.Errorf("the message was taken into the conversation %d times", n)
	}
	s.sameHistory(c, id)
}
