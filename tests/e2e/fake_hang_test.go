package e2e

import (
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
