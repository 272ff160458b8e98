package e2e

import (
	"slices"
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

func TestRealToolAllowed(t *testing.T) {
	t.Parallel()
	s, _ := newReal(t)
	id := session()
	c := s.converse("a", id)
	s.say(c, "tool please")
	asked, next := s.wait(c, 0, kit.IsPermission)
	if s.exists("made.txt") {
		t.Error("the tool ran before it was allowed")
	}
	s.wait(c, 0, kit.IsStatus(pb.AgentStatus_WAITING_FOR_USER))
	s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	resolved, _ := s.wait(c, next, func(e kit.Event) bool { return e.GetPermissionResolved() != nil })
	if got := resolved.GetPermissionResolved().GetResolvedBy(); got != "a" {
		t.Errorf("resolved by %q", got)
	}
	result, _ := s.wait(c, next, func(e kit.Event) bool { return e.GetToolCallResult() != nil })
	if got := result.GetToolCallResult().GetOutput(); got != "hi" {
		t.Errorf("tool result %q", got)
	}
	_, end := s.wait(c, next, kit.IsIdle)
	if got := kit.Text(c.Events()[:end]); !strings.Contains(got, "Done: the tool ran.") {
		t.Errorf("text %q", got)
	}
	if !s.exists("made.txt") {
		t.Error("the tool did not run")
	}
	s.sameHistory(c, id)
}

func TestRealToolDenied(t *testing.T) {
	t.Parallel()
	s, _ := newReal(t)
	c := s.converse("a", session())
	s.say(c, "tool please")
	asked, next := s.wait(c, 0, kit.IsPermission)
	s.answer(c, asked, pb.PermissionDecision_DENY, "not today")
	_, end := s.wait(c, next, kit.IsIdle)
	if got := kit.Text(c.Events()[:end]); !strings.Contains(got, "not today") {
		t.Errorf("the model did not get the reason: %q", got)
	}
	if s.exists("made.txt") {
		t.Error("the denied tool ran")
	}
}

func TestRealSessionGrant(t *testing.T) {
	t.Parallel()
	s, _ := newReal(t)
	c := s.converse("a", session())
	s.say(c, "tool please")
	asked, next := s.wait(c, 0, kit.IsPermission)
	s.answer(c, asked, pb.PermissionDecision_ALLOW_SESSION, "")
	_, next = s.wait(c, next, kit.IsIdle)
	s.say(c, "run: touch second.txt && echo second")
	_, end := s.wait(c, next, kit.IsIdle)
	for _, e := range c.Events()[next:end] {
		if kit.IsPermission(e) {
			t.Error("asked again in spite of the grant")
		}
	}
	if !s.exists("second.txt") {
		t.Error("the granted tool did not run")
	}
}

func TestRealQuestion(t *testing.T) {
	t.Parallel()
	s, _ := newReal(t)
	c := s.converse("a", session())
	s.say(c, "ask me")
	isQuestion := func(e kit.Event) bool { return e.GetUserQuestion() != nil && e.GetSequence() > 0 }
	first, next := s.wait(c, 0, isQuestion)
	second, next := s.wait(c, next, isQuestion)
	third, next := s.wait(c, next, isQuestion)
	if !second.GetUserQuestion().GetMultiSelect() || len(third.GetUserQuestion().GetOptions()) != 2 {
		t.Errorf("questions:\n%s", kit.Describe(c.Events()))
	}
	for _, q := range []struct{ id, question, answer string }{
		{first.GetUserQuestion().GetQuestionId(), "Which branch?", "develop"},
		{second.GetUserQuestion().GetQuestionId(), "Which checks?", "lint, test"},
		{third.GetUserQuestion().GetQuestionId(), "Go on?", "after lunch"},
	} {
		if err := c.Send(&pb.AgentRequest{Request: &pb.AgentRequest_QuestionResponse{QuestionResponse: &pb.UserQuestionResponse{
			QuestionId: q.id, Answers: map[string]string{q.question: q.answer},
		}}}); err != nil {
			t.Fatal(err)
		}
	}
	_, end := s.wait(c, next, kit.IsIdle)
	got := kit.Text(c.Events()[:end])
	for _, want := range []string{"develop", "lint, test", "after lunch"} {
		if !strings.Contains(got, want) {
			t.Errorf("the model did not get %q: %q", want, got)
		}
	}
}

func TestRealInterruptWhileAsked(t *testing.T) {
	t.Parallel()
	s, _ := newReal(t)
	c := s.converse("a", session())
	s.say(c, "tool please")
	asked, next := s.wait(c, 0, kit.IsPermission)
	cancel(s, c)
	resolved, _ := s.wait(c, next, func(e kit.Event) bool { return e.GetPermissionResolved() != nil })
	if got := resolved.GetPermissionResolved(); got.GetReason() != "withdrawn" || got.GetRequestId() != asked.GetPermissionRequest().GetRequestId() {
		t.Errorf("resolved %v", got)
	}
	s.wait(c, next, kit.IsIdle)
	s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	// A late answer to a withdrawn request has no effect; the first decision counts.
	key := s.say(c, "say something")
	s.wait(c, next, func(e kit.Event) bool { return slices.Contains(e.GetTurnComplete().GetInputKeys(), key) })
	if s.exists("made.txt") {
		t.Error("the tool ran after it was withdrawn")
	}
}
