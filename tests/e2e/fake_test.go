package e2e

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

func TestTextTurn(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	key := s.say(c, "echo:hello there")
	_, end := s.wait(c, 0, kit.IsIdle)
	events := c.Events()[:end]
	if got := kit.Text(events); got != "hello there" {
		t.Errorf("text %q", got)
	}
	order := []string{}
	for _, e := range events {
		switch {
		case e.GetUserInput() != nil && e.GetUserInput().GetIdempotencyKey() == key:
			order = append(order, "input")
		case e.GetUsage() != nil:
			order = append(order, "usage")
		case e.GetTurnComplete() != nil:
			order = append(order, "complete")
		case kit.IsIdle(e):
			order = append(order, "idle")
		}
	}
	if got := strings.Join(order, " "); got != "input usage complete idle" {
		t.Errorf("order %q", got)
	}
	s.sameHistory(c, id)
}

func TestPermissionAcrossDaemonKill(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	s.say(c, "run:touch made.txt && echo made")
	asked, _ := s.wait(c, 0, kit.IsPermission)
	started, _ := s.wait(c, 0, kit.IsRun(pb.RunState_RUN_STATE_STARTED))
	before, err := kit.Journaled(c.Events(), 1)
	if err != nil {
		t.Fatal(err)
	}
	s.killDaemon()
	c = s.converseWith("a", &pb.StartConversation{SessionId: id, FromSequence: uint64(len(before))})
	adopted, _ := s.wait(c, 0, kit.IsRun(pb.RunState_RUN_STATE_ADOPTED))
	if adopted.GetRun().GetPid() != started.GetRun().GetPid() {
		t.Errorf("adopted pid %d, was %d", adopted.GetRun().GetPid(), started.GetRun().GetPid())
	}
	replayed, _ := s.wait(c, 0, func(e kit.Event) bool { return e.GetPermissionRequest().GetIsReplay() })
	if replayed.GetPermissionRequest().GetRequestId() != asked.GetPermissionRequest().GetRequestId() {
		t.Errorf("another request is pending after the kill")
	}
	s.answer(c, replayed, pb.PermissionDecision_ALLOW_ONCE, "")
	result, _ := s.wait(c, 0, func(e kit.Event) bool { return e.GetToolCallResult() != nil })
	if !strings.Contains(result.GetToolCallResult().GetOutput(), "made") {
		t.Errorf("tool result %q", result.GetToolCallResult().GetOutput())
	}
	s.wait(c, 0, kit.IsIdle)
}

func TestSameKeyOnce(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	c := s.converse("a", session())
	key := uuid.NewString()
	for range 3 {
		if err := c.Say(key, "echo:once"); err != nil {
			t.Fatal(err)
		}
	}
	s.wait(c, 0, kit.IsIdle)
	s.say(c, "echo:twice")
	_, end := s.wait(c, 0, func(e kit.Event) bool { return strings.Contains(e.GetUserInput().GetContent(), "twice") })
	s.wait(c, end, kit.IsIdle)
	if got := kit.Text(c.Events()); got != "oncetwice" {
		t.Errorf("text %q", got)
	}
}

// The daemon stores the metadata of a session, also across a restart.
func TestMetadataIsKept(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converseWith("a", &pb.StartConversation{
		SessionId: id, WorkingDirectory: s.world.Project, Metadata: map[string]string{"ticket": "BC-7"},
	})
	s.wait(c, 0, func(e kit.Event) bool { return e.GetSequence() == 1 })
	s.killDaemon()
	shown, err := s.daemon.Admin().ShowSession(t.Context(), &pb.ShowSessionRequest{SessionId: id})
	if err != nil || shown.GetMetadata()["ticket"] != "BC-7" {
		t.Errorf("metadata %v, %v", shown.GetMetadata(), err)
	}
}
