package e2e

import (
	"context"
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// TestTurnThatKillsItsAgent: a turn in which the agent dies every time is continued
// twice, then it waits, and killing the daemon changes nothing about that. A
// cancellation ends it, and the session is as good as before.
func TestTurnThatKillsItsAgent(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	s.say(c, "always:exit:3")
	waits, _ := s.wait(c, 0, isNotice("TURN_WAITS"))
	if reason := waits.GetNotice().GetDetails()["reason"]; reason != "cut_off_often" {
		t.Errorf("it waits because of %q", reason)
	}
	s.wait(c, 0, kit.IsStatus(pb.AgentStatus_WAITING_FOR_USER))
	runs := 0
	for _, e := range c.Events() {
		if kit.IsRun(pb.RunState_RUN_STATE_STARTED)(e) {
			runs++
		}
	}
	if runs != 3 {
		t.Errorf("%d runs\n%s", runs, kit.Describe(c.Events()))
	}
	s.killDaemon()
	if got := s.show(id); got.GetStatus() != "waiting" || got.GetWaiting() != "cut_off_often" {
		t.Errorf("after a kill of the daemon: %v", got)
	}
	c = s.converseFromNow("a", id) // the holder of the lock, which outlives the daemon
	if _, err := s.daemon.Agents().CancelTurn(context.Background(), &pb.CancelTurnRequest{SessionId: id}); err != nil {
		t.Fatal(err)
	}
	_, next := s.wait(c, 0, kit.IsTurnComplete)
	_, next = s.wait(c, next, kit.IsIdle)
	s.say(c, "echo:all is well")
	s.wait(c, next, kit.IsIdle)
	if got := kit.Text(c.Events()); !strings.HasSuffix(got, "all is well") {
		t.Errorf("text %q", got)
	}
}

// TestAskBeforeATurnIsContinued: with the policy to ask, an interrupted turn waits for a person,
// and then goes on.
func TestAskBeforeATurnIsContinued(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake, "BETCODE_RESUME=never") // the session's own policy counts
	id := session()
	c := s.converseWith("a", &pb.StartConversation{SessionId: id, WorkingDirectory: s.world.Project, ResumePolicy: "ask"})
	key := s.say(c, "exit:3\necho:second try")
	s.wait(c, 0, isNotice("TURN_WAITS"))
	s.goOn(id)
	s.wait(c, 0, kit.IsIdle)
	if got := kit.Text(c.Events()); !strings.HasSuffix(got, "second try") {
		t.Errorf("text %q", got)
	}
	if n := s.accepted(id, key); n != 1 {
		t.Errorf("the message was taken into the conversation %d times", n)
	}
}

// TestTurnsAreNeverContinued: with the policy never, a turn that was cut off is
// over, and the next message starts another.
func TestTurnsAreNeverContinued(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake, "BETCODE_RESUME=never")
	c := s.converse("a", session())
	s.say(c, "exit:3\necho:second try")
	_, next := s.wait(c, 0, isNotice("TURN_NOT_CONTINUED"))
	e, next := s.wait(c, next, kit.IsTurnComplete)
	if got := e.GetTurnComplete().GetStopReason(); got != "interrupted" {
		t.Errorf("stop reason %q", got)
	}
	_, next = s.wait(c, next, kit.IsIdle)
	s.say(c, "echo:and now")
	s.wait(c, next, kit.IsIdle)
	if got := kit.Text(c.Events()); !strings.HasSuffix(got, "and now") || strings.Contains(got, "second try") {
		t.Errorf("text %q", got)
	}
}
