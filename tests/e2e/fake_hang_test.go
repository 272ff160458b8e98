package e2e

import (
	"slices"
	"strings"
	"testing"

	"betcode/tests/kit"
)

// TestAgentHangs: an agent that is silent in a turn is interrupted; if it does not react it is
// replaced, and its turn goes on. The conversation has the message once.
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

// TestMessageToTheDeaf: if the agent closes its input with a message in the pipe, the daemon does
// not wait for the watchdog. The next agent gets the message, once. The earlier output of the first
// one stays.
func TestMessageToTheDeaf(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	s.say(c, "echo:hello") // the daemon's queries of a new agent are sent now
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
