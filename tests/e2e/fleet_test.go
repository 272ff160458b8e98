package e2e

import (
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// TestFleetStop: all agents end at once and none starts, also in the next daemon; messages wait. After the resume the turn
// that ran is continued, and the message is answered.
func TestFleetStop(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id, other := session(), session()
	first, second := s.converse("a", id), s.converse("b", other)
	s.say(first, "gate:go\necho:first")
	s.wait(first, 0, kit.IsStatus(pb.AgentStatus_THINKING))
	s.settledOnDisk(id, "gate:go")
	s.say(second, "echo:second")
	s.wait(second, 0, kit.IsTurnComplete)

	printed := s.cli(0, "fleet", "stop", "--reason", "too expensive")
	if !strings.Contains(printed, "The fleet is stopped") || !strings.Contains(printed, "too expensive") {
		t.Errorf("it prints %q", printed)
	}
	s.wait(first, 0, isNotice("FLEET_STOPPED"))
	_, ended := s.wait(first, 0, kit.IsRun(pb.RunState_RUN_STATE_EXITED))
	s.wait(second, 0, kit.IsRun(pb.RunState_RUN_STATE_EXITED))
	s.wait(first, ended, isNotice("WAITING_FOR_SLOT"))
	key := s.say(second, "echo:third")
	told, _ := s.wait(second, 0, isNotice("WAITING_FOR_SLOT"))
	s.wait(second, 0, func(e kit.Event) bool { return e.GetUserInput().GetIdempotencyKey() == key }) // accepted, before the kill
	if !strings.Contains(told.GetNotice().GetMessage(), "betcode fleet resume") {
		t.Errorf("the cause is not named: %s", told.GetNotice().GetMessage())
	}

	s.killDaemon()
	if printed := s.cli(0, "fleet", "status"); !strings.Contains(printed, "too expensive") {
		t.Errorf("the next daemon says %q", printed)
	}
	if printed := s.cli(0, "daemon", "status"); !strings.Contains(printed, "fleet") {
		t.Errorf("the status does not name the stop: %q", printed)
	}
	s.create("go")
	for _, stream := range []*kit.Stream{first, second} { // events before the kill
		if n := starts(stream); n != 1 {
			t.Errorf("%d agents were started", n)
		}
	}
	// No client is attached: the daemon continues the turn by itself.
	if printed := s.cli(0, "fleet", "resume"); !strings.Contains(printed, "not stopped") {
		t.Errorf("it prints %q", printed)
	}
	for _, session := range []string{id, other} {
		s.eventually(session+" is idle", func() bool {
			shown, err := s.daemon.Admin().ShowSession(s.Context(), &pb.ShowSessionRequest{SessionId: session})
			return err == nil && shown.GetSummary().GetStatus() == "idle"
		})
	}
	first, second = s.converse("a", id), s.converse("b", other)
	s.wait(first, 0, func(e kit.Event) bool { return strings.Contains(e.GetTextDelta().GetText(), "first") })
	s.wait(second, 0, func(e kit.Event) bool { return strings.Contains(e.GetTextDelta().GetText(), "third") })
	s.sameHistory(first, id)
}

// starts counts the agents whose start a client saw.
func starts(c *kit.Stream) (n int) {
	for _, e := range c.Events() {
		if e.GetRun().GetState() == pb.RunState_RUN_STATE_STARTED {
			n++
		}
	}
	return n
}
