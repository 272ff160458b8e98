package e2e

import (
	"slices"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// The real agent itself is killed. The daemon restarts it, the interrupted turn goes on, and no
// message is in its conversation twice.

// killAgent kills the agent of the newest run of a session.
func (s *story) killAgent(c *kit.Stream, id string) {
	s.Helper()
	s.wait(c, 0, kit.IsRun(pb.RunState_RUN_STATE_STARTED))
	s.killRun(c, id, false)
}

// completed waits for the end of the turn that answers a message.
func (s *story) completed(c *kit.Stream, key string) {
	s.Helper()
	s.wait(c, 0, func(e kit.Event) bool { return slices.Contains(e.GetTurnComplete().GetInputKeys(), key) })
}

func TestRealAgentKilledWhileStreaming(t *testing.T) {
	t.Parallel()
	s, server := newReal(t)
	id := session()
	c := s.converse("a", id)
	s.say(c, "hold please")
	_, next := s.wait(c, 0, kit.IsText)
	s.settledOnDisk(id, "hold please") // the transcript lags behind the output
	s.killAgent(c, id)
	s.wait(c, next, isError("SUBPROCESS_CRASHED"))
	server.Release("story")
	_, next = s.wait(c, next, kit.IsTurnComplete)
	s.wait(c, next, kit.IsIdle)
	once(t, server, "hold please")
	s.sameHistory(c, id)
}

// TestRealAgentKilledAtOnce kills it before anything is in its transcript: the
// conversation is begun again under the same id, with the message.
func TestRealAgentKilledAtOnce(t *testing.T) {
	t.Parallel()
	s, server := newReal(t)
	id := session()
	c := s.converse("a", id)
	key := s.say(c, "say hello")
	s.killAgent(c, id)
	s.completed(c, key)
	once(t, server, "say hello")
}

// TestRealMergedAndFoldedMessagesSurviveAKill: messages that were queued or
// folded into the running turn are in the conversation once after the kill.
func TestRealMergedAndFoldedMessagesSurviveAKill(t *testing.T) {
	t.Parallel()
	s, server := newReal(t)
	id := session()
	c := s.converse("a", id)
	s.say(c, "job please")
	asked, _ := s.wait(c, 0, kit.IsPermission)
	s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	s.waitFile("started.txt")
	s.say(c, "also remember alpha")
	last := s.say(c, "also remember beta")
	s.wait(c, 0, func(e kit.Event) bool { return e.GetUserInput().GetIdempotencyKey() == last })
	s.create("release.txt")
	s.wait(c, 0, func(e kit.Event) bool { return e.GetToolCallResult() != nil })
	s.settledOnDisk(id, "tool_result") // else the resumed agent makes the call again, and asks
	s.killAgent(c, id)
	_, next := s.wait(c, 0, isError("SUBPROCESS_CRASHED"))
	s.rests(c, next)
	final := s.say(c, "say goodbye")
	s.completed(c, final)
	for _, text := range []string{"job please", "also remember alpha", "also remember beta", "say goodbye"} {
		once(t, server, text)
	}
}
