package conformance

import (
	"os"
	"path/filepath"
	"strings"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

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
	s.shows("Converse Stream Lifecycle", "Opening: a known session_id attaches to its session", "Clean close: the turn continues without a stream",
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
