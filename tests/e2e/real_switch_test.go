package e2e

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

func (s *story) mode(id string) string {
	s.Helper()
	shown, err := s.daemon.Admin().ShowSession(s.Context(), &pb.ShowSessionRequest{SessionId: id})
	if err != nil {
		s.Fatal(err)
	}
	return shown.GetPermissionMode()
}

// A change of model or mode while a turn waits for an answer takes effect with the next request of
// that turn; the pending request stays.
func TestRealSwitchesInTheMiddleOfATurn(t *testing.T) {
	t.Parallel()
	s, server := newReal(t)
	id := session()
	c := s.converse("a", id)
	s.say(c, "tool please")
	asked, next := s.wait(c, 0, kit.IsPermission)
	const model = "claude-of-tomorrow-9"
	settings(s, c, model, "")
	settings(s, c, "", "acceptEdits")
	s.eventually("the mode", func() bool { return s.mode(id) == "acceptEdits" })
	pending, err := s.daemon.Admin().ListPermissions(t.Context(), &pb.ListPermissionsRequest{})
	if err != nil || len(pending.GetPermissions()) != 1 {
		t.Errorf("what was asked is settled by a mode: %v, %v", pending, err)
	}
	s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	s.wait(c, next, kit.IsIdle)
	requests := server.Requests()
	if got := requests[len(requests)-1].Model; got != model {
		t.Errorf("the rest of the turn was asked of %s", got)
	}
	if !s.exists("made.txt") {
		t.Error("the tool did not run")
	}
}

// A mode without confirmation is not entered, neither by the running agent nor by the next.
func TestRealModeIsRefused(t *testing.T) {
	t.Parallel()
	s, _ := newReal(t)
	id := session()
	c := s.converse("a", id)
	s.say(c, "say hello")
	_, next := s.wait(c, 0, kit.IsIdle)
	settings(s, c, "", "bypassPermissions")
	asked, next := s.wait(c, next, kit.IsPermission)
	if asked.GetPermissionRequest().GetToolName() != "PermissionMode" {
		t.Errorf("asked: %v", asked)
	}
	s.answer(c, asked, pb.PermissionDecision_DENY, "no")
	if got := s.mode(id); got == "bypassPermissions" {
		t.Errorf("the mode is %s", got)
	}
	settings(s, c, "", "manual") // another name for the one that it has
	if _, err := s.daemon.Admin().StopSession(t.Context(), &pb.StopSessionRequest{SessionId: id}); err != nil {
		t.Fatal(err)
	}
	s.say(c, "tool please")
	asked, next = s.wait(c, next, kit.IsPermission)
	s.answer(c, asked, pb.PermissionDecision_DENY, "no")
	s.wait(c, next, kit.IsIdle)
	if s.exists("made.txt") {
		t.Error("the tool ran")
	}
}

// A plan can be approved with changes, and refused: then the mode stays.
func TestRealPlanIsEdited(t *testing.T) {
	t.Parallel()
	s, server := newReal(t)
	id := session()
	c := s.converseWith("a", &pb.StartConversation{SessionId: id, WorkingDirectory: s.world.Project, PlanMode: true})
	s.say(c, "plan the work")
	asked, next := s.wait(c, 0, kit.IsPermission)
	s.answer(c, asked, pb.PermissionDecision_DENY, "think again")
	_, next = s.wait(c, next, kit.IsIdle)
	if got := s.mode(id); got != "plan" {
		t.Errorf("after a refusal the mode is %s", got)
	}
	s.say(c, "plan it better")
	asked, next = s.wait(c, next, kit.IsPermission)
	edited, err := structpb.NewStruct(asked.GetPermissionRequest().GetInput().AsMap())
	if err != nil {
		t.Fatal(err)
	}
	edited.Fields["plan"] = structpb.NewStringValue("# Plan\n\nOnly this-one-thing.")
	if err := c.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Permission{Permission: &pb.PermissionResponse{
		RequestId: asked.GetPermissionRequest().GetRequestId(), Decision: pb.PermissionDecision_ALLOW_WITH_EDIT, UpdatedInput: edited,
	}}}); err != nil {
		t.Fatal(err)
	}
	_, next = s.wait(c, next, func(e kit.Event) bool { return e.GetPlanMode() != nil && !e.GetPlanMode().GetActive() })
	bash, next := s.wait(c, next, kit.IsPermission)
	s.answer(c, bash, pb.PermissionDecision_ALLOW_ONCE, "")
	s.wait(c, next, kit.IsIdle)
	requests := server.Requests()
	if body := string(requests[len(requests)-1].Body); !strings.Contains(body, "Only this-one-thing.") {
		t.Error("the model did not get the approved plan")
	}
}
