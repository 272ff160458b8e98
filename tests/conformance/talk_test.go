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

// streams: their beginning, their end, and replays.
func streams(s *stage) {
	id := session()
	c := s.converse("a", &pb.StartConversation{SessionId: id})
	s.turn(c, 0, "echo:one")
	pid := s.show(id).GetRun().GetPid()

	// The turn continues after its stream is closed. A new stream gets the missed events by replay.
	seen, err := kit.Journaled(c.Events(), 1)
	s.must(err)
	s.say(c, "gate:go\necho:missed")
	s.wait(c, 0, func(e kit.Event) bool {
		return e.GetSequence() > seen[len(seen)-1].GetSequence() && kit.IsStatus(pb.AgentStatus_THINKING)(e)
	})
	c.Close()
	s.shows("Error Handling", "Client stream drops")
	s.write(s.file("go"), "")
	c = s.converse("a", &pb.StartConversation{
		SessionId: id, FromSequence: uint64(len(seen)), History: pb.HistoryPolicy_HISTORY_POLICY_FROM_SEQUENCE,
	})
	_, next := s.wait(c, 0, isTextWith("missed"))
	_, next = s.wait(c, next, kit.IsIdle)
	if _, err := kit.Journaled(c.Events(), uint64(len(seen))+1); err != nil {
		s.Error(err)
	}
	s.shows("Error Handling", "All clients disconnect")
	s.shows("Converse Stream Lifecycle", "Opening: a known session_id attaches", "Clean close: the turn goes on without a stream",
		"Reconnection: what was missed is replayed")

	// ResumeSession beside Converse, and no second process for either.
	whole := s.replay(id, 0)
	rest := s.replay(id, uint64(len(seen)))
	if len(rest) == 0 || len(rest) >= len(whole) {
		s.Errorf("%d events of %d are replayed", len(rest), len(whole))
	}
	s.turn(c, next, "echo:still one process")
	if now := s.show(id).GetRun().GetPid(); now != pid {
		s.Errorf("the process was %d, and is %d", pid, now)
	}
	s.took("ResumeSessionRequest", "session_id", "from_sequence")
	s.shows("Session Management Messages", "ResumeSession replays as a server stream", "Converse attaches without another subprocess",
		"Both may be active at once")
	s.shows("Multiplexer", "Client attachment: history, then live")
	s.shows("Persistence", "messages")

	// Errors inline, a half-closed stream, and a fatal error.
	s.must(c.Answer(session(), pb.PermissionDecision_ALLOW_ONCE, ""))
	stale, next := s.wait(c, 0, isError("PERMISSION_STALE"))
	if stale.GetError().GetIsFatal() || stale.GetError().GetDetails()["session_id"] != id {
		s.Errorf("it is published as %v", stale)
	}
	s.turn(c, next, "echo:the stream goes on")
	s.shows("Converse Stream Lifecycle", "Error close: other errors come inline")
	s.shows("Error Response Structure", "details: session_id")
	s.must(c.HalfClose())
	s.must(c.WaitEnd())
	s.shows("Converse Stream Lifecycle", "Clean close: the client closes its half")
	d := s.converse("b", &pb.StartConversation{SessionId: "not an id"})
	if err := d.WaitEnd(); err == nil {
		s.Error("a session id that is none was taken")
	}
	s.wait(d, 0, func(e kit.Event) bool { return e.GetError().GetIsFatal() })
	s.shows("Converse Stream Lifecycle", "Error close: a fatal ErrorEvent, then the end")
	silent, err := s.daemon.Agents().Converse(s.Context())
	s.must(err)
	s.must(silent.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Cancel{Cancel: &pb.CancelRequest{}}}))
	for err == nil {
		_, err = silent.Recv()
	}
	if !strings.Contains(err.Error(), "StartConversation") {
		s.Errorf("a stream that begins with something else ends as %v", err)
	}
	s.shows("Converse Stream Lifecycle", "Opening: StartConversation comes first")
}

// sessions are listed, renamed, granted, cancelled and deleted.
func sessions(s *stage) {
	api, ctx := s.daemon.Agents(), s.Context()
	ids := []string{session(), session()}
	other := filepath.Join(s.world.Home, "elsewhere")
	s.must(os.MkdirAll(other, 0o700))
	var c *kit.Stream
	for i, dir := range []string{other, s.world.Project} {
		c = s.converse("a", &pb.StartConversation{SessionId: ids[i], WorkingDirectory: dir})
		s.turn(c, 0, "echo:hello")
	}
	list, err := api.ListSessions(ctx, &pb.ListSessionsRequest{Limit: 1, Offset: 1})
	s.must(err)
	if list.GetTotal() != 2 || len(list.GetSessions()) != 1 || list.GetSessions()[0].GetId() != ids[0] {
		s.Errorf("the second page is %v", list)
	}
	list, err = api.ListSessions(ctx, &pb.ListSessionsRequest{WorkingDirectory: other})
	s.must(err)
	if list.GetTotal() != 1 || list.GetSessions()[0].GetWorkingDirectory() != other || list.GetSessions()[0].GetStatus() != "idle" {
		s.Errorf("of one directory: %v", list)
	}
	s.took("ListSessionsRequest", "working_directory", "limit", "offset")
	s.shows("State: `NEW -> ACTIVE -> IDLE -> CLOSED`", "IDLE")

	_, err = api.RenameSession(ctx, &pb.RenameSessionRequest{SessionId: ids[1], Name: "the second"})
	s.must(err)
	if name := s.show(ids[1]).GetSummary().GetName(); name != "the second" {
		s.Errorf("its name is %q", name)
	}
	s.took("RenameSessionRequest", "session_id", "name")

	at := len(c.Events())
	s.say(c, "gate:never")
	_, next := s.wait(c, at, kit.IsStatus(pb.AgentStatus_THINKING))
	if status := s.show(ids[1]).GetSummary().GetStatus(); status != "active" {
		s.Errorf("while a turn runs it is %q", status)
	}
	s.shows("State: `NEW -> ACTIVE -> IDLE -> CLOSED`", "ACTIVE")
	canceled, err := api.CancelTurn(ctx, &pb.CancelTurnRequest{SessionId: ids[1]})
	s.must(err)
	if !canceled.GetWasActive() {
		s.Error("no turn was cancelled")
	}
	s.wait(c, next, func(e kit.Event) bool { return e.GetTurnComplete().GetStopReason() == "cancelled" })
	s.took("CancelTurnRequest", "session_id")

	grant := func() []*pb.SessionGrantEntry {
		grants, err := api.ListSessionGrants(ctx, &pb.ListSessionGrantsRequest{SessionId: ids[1]})
		s.must(err)
		return grants.GetGrants()
	}
	_, err = api.SetSessionGrant(ctx, &pb.SetSessionGrantRequest{SessionId: ids[1], ToolName: "Bash", Granted: true})
	s.must(err)
	if g := grant(); len(g) != 1 || g[0].GetToolName() != "Bash" || !g[0].GetGranted() {
		s.Errorf("granted: %v", g)
	}
	s.turn(c, len(c.Events()), "run:echo granted")
	for _, e := range c.Events() {
		if kit.IsPermission(e) {
			s.Error("what was granted is asked about")
		}
	}
	_, err = api.ClearSessionGrants(ctx, &pb.ClearSessionGrantsRequest{SessionId: ids[1], ToolName: "Bash"})
	s.must(err)
	if g := grant(); len(g) != 0 {
		s.Errorf("still granted: %v", g)
	}
	s.took("ListSessionGrantsRequest", "session_id")
	s.took("SetSessionGrantRequest", "session_id", "tool_name", "granted")
	s.took("ClearSessionGrantsRequest", "session_id", "tool_name")
	s.shows("Permission Bridge", "3. Session grants")
	s.shows("Persistence", "permission_grants")

	deleted, err := api.DeleteSession(ctx, &pb.DeleteSessionRequest{SessionId: ids[1]})
	s.must(err)
	if !deleted.GetDeleted() {
		s.Errorf("deleted: %v", deleted)
	}
	s.wait(c, 0, isError("SESSION_CLOSED"))
	s.took("DeleteSessionRequest", "session_id")
	s.shows("State: `NEW -> ACTIVE -> IDLE -> CLOSED`", "CLOSED")
}
