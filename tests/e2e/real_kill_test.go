package e2e

import (
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// The daemon is killed by SIGKILL at four moments of a real agent's life. Each time the same
// process goes on, the client continues after its last number, and the whole history is dense.

// reconnect kills the daemon, starts the next one and attaches the same client
// behind the last number it has. It checks that the agent is the same process.
func (s *story) reconnect(c *kit.Stream, session string) *kit.Stream {
	s.Helper()
	started, _ := s.wait(c, 0, kit.IsRun(pb.RunState_RUN_STATE_STARTED))
	s.killDaemon()
	_ = c.WaitEnd() // an event may arrive until then
	before, err := kit.Journaled(c.Events(), 1)
	if err != nil {
		s.Fatal(err)
	}
	next := s.converseWith("a", &pb.StartConversation{SessionId: session, FromSequence: uint64(len(before))})
	adopted, _ := s.wait(next, 0, kit.IsRun(pb.RunState_RUN_STATE_ADOPTED))
	if adopted.GetRun().GetPid() != started.GetRun().GetPid() {
		s.Errorf("adopted pid %d, was %d", adopted.GetRun().GetPid(), started.GetRun().GetPid())
	}
	return next
}

// whole joins the events of a client before and after a kill, and checks that the numbers are
// dense.
func (s *story) whole(before, after *kit.Stream) []kit.Event {
	s.Helper()
	all, err := kit.Journaled(append(before.Events(), after.Events()...), 1)
	if err != nil {
		s.Fatal(err)
	}
	return all
}

func TestRealKillWhileIdle(t *testing.T) {
	t.Parallel()
	s, server := newReal(t)
	id := session()
	c := s.converse("a", id)
	s.say(c, "say one")
	s.wait(c, 0, kit.IsIdle)
	after := s.reconnect(c, id)
	s.say(after, "say two")
	s.wait(after, 0, kit.IsIdle)
	s.whole(c, after)
	once(t, server, "say one")
	once(t, server, "say two")
}

func TestRealKillWhileStreaming(t *testing.T) {
	t.Parallel()
	s, server := newReal(t)
	id := session()
	c := s.converse("a", id)
	s.say(c, "story please")
	s.wait(c, 0, kit.IsText)
	after := s.reconnect(c, id)
	s.wait(after, 0, kit.IsIdle)
	text := kit.Text(s.whole(c, after))
	for _, word := range []string{"word0 ", "word100 ", "word199"} {
		if strings.Count(text, word) != 1 {
			t.Errorf("%q is there %d times", word, strings.Count(text, word))
		}
	}
	once(t, server, "story please")
	s.sameHistory(s.converse("b", id), id)
}

func TestRealKillWhilePermissionPending(t *testing.T) {
	t.Parallel()
	s, _ := newReal(t)
	id := session()
	c := s.converse("a", id)
	s.say(c, "tool please")
	asked, _ := s.wait(c, 0, kit.IsPermission)
	after := s.reconnect(c, id)
	s.wait(after, 0, func(e kit.Event) bool {
		p := e.GetPermissionRequest()
		return p.GetIsReplay() && p.GetRequestId() == asked.GetPermissionRequest().GetRequestId()
	})
	s.answer(after, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	s.wait(after, 0, kit.IsIdle)
	if text := kit.Text(s.whole(c, after)); !strings.Contains(text, "Done: the tool ran.") {
		t.Errorf("text %q", text)
	}
}

func TestRealKillWhileToolRuns(t *testing.T) {
	t.Parallel()
	s, _ := newReal(t)
	id := session()
	c := s.converse("a", id)
	s.say(c, "job please")
	asked, _ := s.wait(c, 0, kit.IsPermission)
	s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	s.waitFile("started.txt")
	s.wait(c, 0, func(e kit.Event) bool { return e.GetPermissionResolved() != nil })
	after := s.reconnect(c, id)
	s.create("release.txt")
	s.wait(after, 0, kit.IsIdle)
	if text := kit.Text(s.whole(c, after)); !strings.Contains(text, "The job is done: released") {
		t.Errorf("text %q", text)
	}
}
