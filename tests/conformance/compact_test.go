package conformance

import (
	"path/filepath"
	"testing"

	"google.golang.org/grpc/codes"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// compactStories are about the compaction of sessions.
var compactStories = []story{
	{name: "compaction", run: compaction},
	{name: "automatic compaction", setup: func(_ *testing.T, w *kit.World) error {
		return config(w, `{"sessions": {"auto_compact_threshold": 5}}`)
	}, run: automaticCompaction},
	{name: "compaction fails", setup: func(_ *testing.T, w *kit.World) error {
		gate := filepath.Join(w.Root, "gate")
		w.Extra = append(w.Extra, "FAKE_AGENT_COMPACT="+gate)
		return writeFile(gate, "fail")
	}, run: compactionFails},
}

// compaction by the call: dropped events, kept events, and the state after a restart.
func compaction(s *stage) {
	id := session()
	api := s.daemon.Agents()
	c := s.converse("a", &pb.StartConversation{SessionId: id})
	s.say(c, "run:echo first")
	asked, next := s.wait(c, 0, kit.IsPermission)
	_, err := api.CompactSession(s.Context(), &pb.CompactSessionRequest{SessionId: id})
	s.refused(err, codes.FailedPrecondition, "active turn")
	if detailsOf(err)["required_state"] != "idle" {
		s.Errorf("the details are %v", detailsOf(err))
	}
	s.shows("Error Response Structure", "details: required_state")
	s.shows("Compaction Process", "FAILED_PRECONDITION while a turn is active")
	s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE)
	_, next = s.wait(c, next, kit.IsIdle)
	next = s.turn(c, next, "echo:second")
	s.say(c, "echo:third")
	last, next := s.wait(c, next, func(e kit.Event) bool { return e.GetUserInput() != nil })
	s.wait(c, next, kit.IsIdle)

	done, err := api.CompactSession(s.Context(), &pb.CompactSessionRequest{SessionId: id})
	s.must(err)
	if !done.GetDone() || done.GetMessagesBefore() <= done.GetMessagesAfter() || done.GetMessagesAfter() != 2 || done.GetTokensSaved() == 0 {
		s.Errorf("compacted: %v", done)
	}
	s.took("CompactSessionRequest", "session_id")
	s.shows("Compaction Triggers", "Manual: the CompactSession RPC")
	s.shows("Compaction Process", "messages_before, messages_after, tokens_saved")
	s.wait(c, next, kit.IsStatus(pb.AgentStatus_COMPACTING))
	s.shows("Compaction Process", "StatusChange COMPACTING")

	s.daemon.Kill()
	s.start()
	events := s.replay(id, 0)
	if !events[0].GetSessionInfo().GetIsCompacted() {
		s.Errorf("first comes %s", kit.Line(events[0]))
	}
	s.shows("Interaction with Claude Code Summarization", "An older cursor gets SessionInfo with is_compacted")
	s.shows("Database Impact", "compaction_sequence survives a restart")
	left, err := kit.Journaled(events, last.GetSequence())
	s.must(err)
	usage := 0
	for _, e := range left {
		if e.GetPermissionRequest() != nil || e.GetToolCallStart() != nil {
			s.Errorf("still there: %s", kit.Line(e))
		}
		if e.GetUsage() != nil {
			usage++
		}
	}
	if usage == 0 {
		s.Error("what the last turn cost is gone")
	}
	s.shows("Compaction Process", "History below the boundary is not replayed")
	s.shows("Compactable vs Non-Compactable Content", "assistant messages", "user messages", "stream_event deltas",
		"control_request/response", "result messages", "system init")

	c = s.converse("a", &pb.StartConversation{SessionId: id})
	info, _ := s.wait(c, 0, isInfo)
	if info.GetSessionInfo().GetModel() == "" {
		s.Errorf("what was known of the session is gone: %v", info)
	}
	s.turn(c, len(c.Events()), "echo:the same conversation")
	if shown := s.show(id); shown.GetAgentSessionId() != id {
		s.Errorf("it is another conversation: %v", shown)
	}
	s.shows("Compaction Process", "The next message goes on with the same conversation")
}

// automaticCompaction when the context is larger than the settings allow.
func automaticCompaction(s *stage) {
	c := s.converse("a", &pb.StartConversation{})
	s.say(c, "echo:long enough")
	_, next := s.wait(c, 0, kit.IsTurnComplete)
	_, next = s.wait(c, next, kit.IsStatus(pb.AgentStatus_COMPACTING))
	s.wait(c, next, isNotice("HISTORY_COMPACTED"))
	s.shows("Compaction Triggers", "Auto: sessions.auto_compact_threshold")
}

// compactionFails when the agent does not summarise.
func compactionFails(s *stage) {
	id := session()
	c := s.converse("a", &pb.StartConversation{SessionId: id})
	next := s.turn(c, 0, "echo:hello")
	_, err := s.daemon.Agents().CompactSession(s.Context(), &pb.CompactSessionRequest{SessionId: id, IdempotencyKey: session()})
	s.refused(err, codes.Internal)
	s.wait(c, next, isError("COMPACTION_FAILED"))
	s.cli(7, "session", "compact", id)
	s.shows("CLI Exit Codes", "7")
}
