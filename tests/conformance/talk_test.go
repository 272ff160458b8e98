package conformance

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// talkStories are conversations.
var talkStories = []story{
	{name: "conversation", run: conversation},
	{name: "session settings", run: sessionSettings},
	{name: "attachments", run: attachments},
	{name: "plans and questions", run: plansAndQuestions},
	{name: "streams", run: streams},
	{name: "sessions", run: sessions},
}

// conversation is the ordinary life of a session.
func conversation(s *stage) {
	c := s.converse("a", &pb.StartConversation{})
	info, _ := s.wait(c, 0, isInfo)
	id := info.GetSessionInfo().GetSessionId()
	if len(id) != 36 || info.GetSessionInfo().GetWorkingDirectory() != s.world.Project {
		s.Errorf("it is %v", info)
	}
	if run := s.show(id).GetRun(); run != nil {
		s.Errorf("a session that was only opened has a process: %v", run)
	}
	s.shows("Process lifecycle", "IDLE without a process")
	s.shows("Converse Stream Lifecycle", "Opening: an empty session_id creates a session")
	s.took("AgentRequest", "start")
	s.took("StartConversation", "working_directory")

	next := s.turn(c, 0, "think:first words")
	if !strings.Contains(kit.Text(c.Events()), "first words") {
		s.Errorf("it says %q", kit.Text(c.Events()))
	}
	s.wait(c, 0, func(e kit.Event) bool { return isInfo(e) && e.GetSessionInfo().GetModel() != "" })
	s.wait(c, 0, func(e kit.Event) bool { return e.GetTextDelta().GetIsComplete() })
	s.wait(c, 0, func(e kit.Event) bool { return e.GetUsage().GetOutputTokens() > 0 })
	end, _ := s.wait(c, 0, kit.IsTurnComplete)
	if end.GetTurnComplete().GetStopReason() != "end_turn" {
		s.Errorf("the turn ended as %v", end)
	}
	s.took("AgentRequest", "message")
	s.took("UserMessage", "content")
	s.shows("Process lifecycle", "SPAWNING, RUNNING: stdout to the clients, stdin from them")
	s.shows("Daemon Lifecycle", "RUNNING: an agent is spawned on demand")
	s.shows("Complete Version Handshake Sequence", "Phase 4: Session Establishment")
	s.shows("Control messages", "User message")
	s.shows("Messages from claude stdout", "system", "content_block_delta", "content_block_start/stop", "message_start/delta/stop", "result")
	s.shows("Multiplexer", "content_block_delta becomes TextDelta", "result becomes UsageReport", "system becomes SessionInfo")

	s.say(c, "run:pwd > where.txt; echo made it")
	asked, next := s.wait(c, next, kit.IsPermission)
	start, _ := s.wait(c, 0, func(e kit.Event) bool { return e.GetToolCallStart() != nil })
	if start.GetToolCallStart().GetToolName() != "Bash" || start.GetToolCallStart().GetInput().GetFields()["command"] == nil {
		s.Errorf("the call is shown as %v", start)
	}
	s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE)
	_, next = s.wait(c, next, isResult("made it"))
	_, next = s.wait(c, next, kit.IsIdle)
	where, err := os.ReadFile(s.file("where.txt"))
	if err != nil || strings.TrimSpace(string(where)) != s.world.Project {
		s.Errorf("the agent worked in %q, %v", where, err)
	}
	s.took("AgentRequest", "permission")
	s.took("PermissionResponse", "request_id", "decision")
	s.shows("Process lifecycle", "Working directory of the session")
	s.shows("Messages from claude stdout", "control_request")
	s.shows("Control messages", "control_request (permission)", "control_response (allow)")
	s.shows("Multiplexer", "content_block_start (tool_use) becomes ToolCallStart", "control_request becomes PermissionRequest or UserQuestion")
	s.shows("Permission Bridge", "4. No rule: asked")

	s.say(c, "run:false")
	asked, next = s.wait(c, next, kit.IsPermission)
	s.answer(c, asked, pb.PermissionDecision_DENY)
	denied, next := s.wait(c, next, func(e kit.Event) bool { return e.GetToolCallResult() != nil })
	if !denied.GetToolCallResult().GetIsError() {
		s.Errorf("what was denied is no error: %v", denied)
	}
	_, next = s.wait(c, next, kit.IsIdle)
	s.shows("Control messages", "control_response (deny)")
	s.shows("Converse Stream Lifecycle", "Active turns: several in one stream")

	s.say(c, "gate:never")
	_, next = s.wait(c, next, kit.IsStatus(pb.AgentStatus_THINKING))
	s.must(c.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Cancel{Cancel: &pb.CancelRequest{Reason: "enough"}}}))
	end, next = s.wait(c, next, kit.IsTurnComplete)
	if end.GetTurnComplete().GetStopReason() != "cancelled" {
		s.Errorf("it was cancelled, and ended as %v", end)
	}
	_, next = s.wait(c, next, kit.IsIdle)
	s.took("AgentRequest", "cancel")
	history := s.converse("b", &pb.StartConversation{SessionId: end.GetSessionId()})
	why, _ := s.wait(history, 0, func(e kit.Event) bool { return e.GetNotice().GetCode() == "TURN_CANCELLED" })
	if d := why.GetNotice().GetDetails(); why.GetSequence() == 0 || d["reason"] != "enough" || d["client"] != "a" {
		s.Errorf("history says %v", why)
	}
	history.Close()
	audited := s.cli(0, "audit", "--json", "--type", "turn_cancel", "--session", end.GetSessionId())
	if !strings.Contains(audited, `"reason":"enough"`) || !strings.Contains(audited, `"actor_id":"a"`) {
		s.Errorf("the audit log says %s", audited)
	}
	s.took("CancelRequest", "reason")
	s.shows("Converse Stream Lifecycle", "Cancellation: CancelRequest ends the turn as cancelled")

	s.say(c, "subagent")
	asked, next = s.wait(c, next, kit.IsPermission)
	s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE)
	s.wait(c, next, func(e kit.Event) bool { return e.GetParentToolUseId() != "" })
	_, next = s.wait(c, next, kit.IsIdle)
	s.turn(c, next, "garbage")
	s.shows("Error Handling", "Invalid JSON on stdout")

	if _, err := kit.Journaled(c.Events(), 1); err != nil {
		s.Error(err)
	}
	s.shows("AgentEvent (Agent -> Client)", "Every event carries a monotonic sequence")
}

// sessionSettings: the options of a session reach its agent.
func sessionSettings(s *stage) {
	id := session()
	c := s.converse("a", &pb.StartConversation{
		SessionId: id, Model: "claude-sonnet-4-5", AllowedTools: []string{"Read", "Bash(echo *)"}, PlanMode: true,
		Metadata: map[string]string{"ticket": "17"},
	})
	s.wait(c, 0, func(e kit.Event) bool { return e.GetSessionInfo() != nil })
	if status := s.show(id).GetSummary().GetStatus(); status != "new" {
		s.Errorf("before the first message it is %q", status)
	}
	s.shows("State: `NEW -> ACTIVE -> IDLE -> CLOSED`", "NEW")
	s.turn(c, 0, "echo:hello")
	argv := s.arguments(id)
	for flag, value := range map[string]string{
		"--output-format": "stream-json", "--input-format": "stream-json", "--permission-prompt-tool": "stdio",
		"--model": "claude-sonnet-4-5", "--allowedTools": "Read", "--permission-mode": "plan",
	} {
		if !follows(argv, flag, value) {
			s.Errorf("%s is not followed by %s: %q", flag, value, argv)
		}
	}
	if !slices.Contains(argv, "-p") || !slices.Contains(argv, "--include-partial-messages") {
		s.Errorf("it was started as %q", argv)
	}
	shown := s.show(id)
	if shown.GetMetadata()["ticket"] != "17" || shown.GetSummary().GetModel() != "claude-sonnet-4-5" || shown.GetSummary().GetId() != id {
		s.Errorf("it is shown as %v", shown)
	}
	s.took("StartConversation", "session_id", "model", "allowed_tools", "plan_mode", "metadata")
	s.shows("Spawn command", "-p, --output-format and --input-format stream-json", "--permission-prompt-tool stdio",
		"--include-partial-messages", "--model", "--allowedTools")
	environ, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(int(shown.GetRun().GetPid())), "environ"))
	if err != nil || !strings.Contains(string(environ), "HOME="+s.world.Home) {
		s.Errorf("its environment is not the daemon's: %v", err)
	}
	s.shows("Process lifecycle", "Environment inherited from the daemon")
	s.shows("Config Resolution", "1. CLI flags")
}

// attachments reach the agent with the message.
func attachments(s *stage) {
	id := session()
	c := s.converse("a", &pb.StartConversation{SessionId: id})
	s.must(c.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Message{Message: &pb.UserMessage{
		Content:     "echo:looking",
		AgentId:     "some clients say so", // which is taken, and not read
		Attachments: []*pb.Attachment{{Filename: "notes.txt", MimeType: "text/plain", Data: []byte("the-seventeenth-note")}},
	}}}))
	s.wait(c, 0, kit.IsTurnComplete)
	s.transcript(id, "the-seventeenth-note")
	s.transcript(id, "notes.txt")
	s.took("UserMessage", "attachments", "agent_id")
	s.took("Attachment", "filename", "mime_type", "data")
}

// plansAndQuestions: todo lists, plans, and questions with their answers.
func plansAndQuestions(s *stage) {
	c := s.converse("a", &pb.StartConversation{})
	s.say(c, `tool:TodoWrite:{"todos":[{"content":"one","status":"completed","activeForm":"Doing one"},`+
		`{"content":"two","status":"in_progress","activeForm":"Doing two"}]}`)
	asked, next := s.wait(c, 0, kit.IsPermission)
	s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE)
	todos, _ := s.wait(c, 0, func(e kit.Event) bool { return len(e.GetTodoUpdate().GetItems()) == 2 })
	two := todos.GetTodoUpdate().GetItems()[1]
	if two.GetSubject() != "two" || two.GetActiveForm() != "Doing two" || two.GetStatus() != pb.TodoStatus_IN_PROGRESS {
		s.Errorf("the second is %v", two)
	}
	_, next = s.wait(c, next, kit.IsIdle)

	s.say(c, "ask")
	question, _ := s.wait(c, next, func(e kit.Event) bool { return e.GetUserQuestion() != nil })
	s.wait(c, next, kit.IsStatus(pb.AgentStatus_WAITING_FOR_USER))
	answers := map[string]string{}
	for _, e := range c.Events()[next:] {
		if q := e.GetUserQuestion(); q != nil {
			answers[q.GetQuestion()] = q.GetOptions()[0].GetValue()
		}
	}
	s.must(c.Send(&pb.AgentRequest{Request: &pb.AgentRequest_QuestionResponse{QuestionResponse: &pb.UserQuestionResponse{
		QuestionId: question.GetUserQuestion().GetQuestionId(), Answers: answers,
	}}}))
	_, next = s.wait(c, next, isResolved)
	_, next = s.wait(c, next, isResult(question.GetUserQuestion().GetOptions()[0].GetValue()))
	_, next = s.wait(c, next, kit.IsIdle)
	s.took("AgentRequest", "question_response")
	s.took("UserQuestionResponse", "question_id", "answers")
	s.shows("Control messages", "control_request (user question)")

	s.say(c, "plan:First this, then that.")
	asked, next = s.wait(c, next, kit.IsPermission)
	plan, _ := s.wait(c, 0, func(e kit.Event) bool { return e.GetPlanMode().GetPlan() != "" })
	if !plan.GetPlanMode().GetActive() || !strings.Contains(plan.GetPlanMode().GetPlan(), "First this") {
		s.Errorf("the plan is %v", plan)
	}
	s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE)
	s.wait(c, next, kit.IsIdle)
}
