package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/claudecli"
	"betcode/tests/kit"
	"betcode/tests/model"
)

// These stories run the real Claude Code, pinned, against a scripted model on loopback. The first
// word of a prompt determines what the model does; see tests/model/scripts.

// newReal starts a story with the real agent.
func newReal(t *testing.T) (*story, *model.Server) {
	t.Helper()
	w, server := realWorld(t, binaries.betcode)
	return storyIn(t, w), server
}

// realWorld creates a world for the real agent and its model.
func realWorld(t *testing.T, daemon string) (*kit.World, *model.Server) {
	t.Helper()
	script, err := model.Ready("default")
	if err != nil {
		t.Fatal(err)
	}
	return scriptedWorld(t, daemon, script)
}

// scriptedWorld is realWorld with a script for the model.
func scriptedWorld(t *testing.T, daemon string, script model.Script) (*kit.World, *model.Server) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs the real Claude Code")
	}
	path, err := claudecli.Ensure(t.Context(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	server, err := model.New(script)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	w, err := kit.NewWorld(daemon, path,
		"ANTHROPIC_BASE_URL="+server.URL, "ANTHROPIC_API_KEY=dummy", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"IS_SANDBOX=1", "SHELL=/bin/bash")
	if err != nil {
		t.Fatal(err)
	}
	return w, server
}

func (s *story) file(name string) string { return filepath.Join(s.world.Project, name) }

func (s *story) exists(name string) bool {
	_, err := os.Stat(s.file(name))
	return err == nil
}

func (s *story) create(name string) {
	s.Helper()
	if err := os.WriteFile(s.file(name), nil, 0o600); err != nil {
		s.Fatal(err)
	}
}

// waitFile waits until something outside has made a file.
func (s *story) waitFile(name string) {
	s.Helper()
	s.eventually(name+" is made", func() bool { return s.exists(name) })
}

// once checks that the model saw a prompt as exactly one message of the
// conversation it was asked about last.
func once(t *testing.T, server *model.Server, prompt string) {
	t.Helper()
	requests := server.Requests()
	for i := len(requests) - 1; i >= 0; i-- {
		if n := requests[i].Conversation.Count(prompt); n > 0 {
			if n != 1 {
				t.Errorf("the conversation holds %q %d times", prompt, n)
			}
			return
		}
	}
	t.Errorf("the model never saw %q", prompt)
}

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
