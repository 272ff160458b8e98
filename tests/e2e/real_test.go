package e2e

import (
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

func TestRealTextAndTwoTurns(t *testing.T) {
	t.Parallel()
	s, server := newReal(t)
	id := session()
	c := s.converse("a", id)
	s.say(c, "say hello")
	_, first := s.wait(c, 0, kit.IsIdle)
	s.say(c, "say it again")
	_, end := s.wait(c, first, kit.IsIdle)
	if kit.Text(c.Events()[:first]) == "" || kit.Text(c.Events()[first:end]) == "" {
		t.Errorf("a turn without text:\n%s", kit.Describe(c.Events()))
	}
	once(t, server, "say hello")
	s.sameHistory(c, id)
}

func cancel(s *story, c *kit.Stream) {
	s.Helper()
	if err := c.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Cancel{Cancel: &pb.CancelRequest{Reason: "test"}}}); err != nil {
		s.Fatal(err)
	}
}

func TestRealInterruptWhileStreaming(t *testing.T) {
	t.Parallel()
	s, _ := newReal(t)
	c := s.converse("a", session())
	s.say(c, "slow story")
	_, next := s.wait(c, 0, kit.IsText)
	cancel(s, c)
	done, next := s.wait(c, next, kit.IsTurnComplete)
	if got := done.GetTurnComplete().GetStopReason(); got != "cancelled" {
		t.Errorf("stop reason %q", got)
	}
	_, next = s.wait(c, next, kit.IsIdle)
	s.say(c, "say something")
	_, end := s.wait(c, next, kit.IsIdle)
	if kit.Text(c.Events()[next:end]) == "" {
		t.Error("no answer after the interrupt")
	}
}

func TestRealSubagent(t *testing.T) {
	t.Parallel()
	s, _ := newReal(t)
	id := session()
	c := s.converse("a", id)
	s.say(c, "helper please")
	asked, next := s.wait(c, 0, kit.IsPermission)
	if asked.GetPermissionRequest().GetAgentId() == "" {
		t.Error("the request does not name the subagent")
	}
	if got := s.subagents(id); len(got) != 1 || got[0].GetTaskId() != asked.GetPermissionRequest().GetAgentId() || got[0].GetName() != "general-purpose" ||
		got[0].GetStatus() != pb.CommandAgentStatus_COMMAND_AGENT_STATUS_WORKING || got[0].GetDescription() == "" || got[0].GetBackground() {
		t.Errorf("subagents: %v", got)
	}
	s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	_, end := s.wait(c, next, kit.IsIdle)
	inside := false
	for _, e := range c.Events()[:end] {
		inside = inside || (e.GetParentToolUseId() != "" && e.GetToolCallStart() != nil)
	}
	if !inside || !strings.Contains(kit.Text(c.Events()[:end]), "The subagent is finished.") {
		t.Errorf("story of a subagent:\n%s", kit.Describe(c.Events()))
	}
	if got := s.subagents(id); len(got) != 0 {
		t.Errorf("after its end: %v", got)
	}
}

// subagents are those that a session's agent has running.
func (s *story) subagents(id string) (running []*pb.AgentInfo) {
	s.Helper()
	r, err := s.commands().ListAgents(s.Context(), &pb.ListAgentsRequest{SessionId: id})
	if err != nil {
		s.Fatal(err)
	}
	for _, a := range r.GetAgents() {
		if a.GetTaskId() != "" {
			running = append(running, a)
		}
	}
	return running
}

func TestRealBackgroundSubagent(t *testing.T) {
	t.Parallel()
	s, _ := newReal(t)
	id := session()
	c := s.converse("a", id)
	s.say(c, "background please")
	asked, next := s.wait(c, 0, kit.IsPermission)
	if got := s.subagents(id); len(got) != 1 || !got[0].GetBackground() {
		t.Errorf("subagents: %v", got)
	}
	s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	_, end := s.wait(c, next, kit.IsIdle)
	if got := kit.Text(c.Events()[:end]); !strings.Contains(got, "The background work has ended.") {
		t.Errorf("IDLE before the background work was over: %q", got)
	}
}

func TestRealPlanMode(t *testing.T) {
	t.Parallel()
	s, _ := newReal(t)
	c := s.converseWith("a", &pb.StartConversation{SessionId: session(), WorkingDirectory: s.world.Project, PlanMode: true})
	s.say(c, "plan the work")
	asked, next := s.wait(c, 0, kit.IsPermission)
	if asked.GetPermissionRequest().GetToolName() != "ExitPlanMode" {
		t.Fatalf("asked %v", asked)
	}
	s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	s.wait(c, next, func(e kit.Event) bool { return e.GetPlanMode() != nil && !e.GetPlanMode().GetActive() })
	bash, next := s.wait(c, next, kit.IsPermission)
	s.answer(c, bash, pb.PermissionDecision_ALLOW_ONCE, "")
	s.wait(c, next, kit.IsIdle)
	if !s.exists("planned.txt") {
		t.Error("the plan was not carried out")
	}
}

func TestRealAPIError(t *testing.T) {
	t.Parallel()
	s, _ := newReal(t)
	c := s.converse("a", session())
	s.say(c, "malformed request")
	e, _ := s.wait(c, 0, func(e kit.Event) bool { return e.GetError() != nil })
	if e.GetError().GetIsFatal() {
		t.Error("an API error must not end the stream")
	}
	done, _ := s.wait(c, 0, kit.IsTurnComplete)
	if !done.GetTurnComplete().GetIsError() {
		t.Error("an error that calls itself success")
	}
	_, next := s.wait(c, 0, kit.IsIdle)
	s.say(c, "say something")
	_, end := s.wait(c, next, kit.IsIdle)
	if kit.Text(c.Events()[next:end]) == "" {
		t.Error("no answer after the error")
	}
}
