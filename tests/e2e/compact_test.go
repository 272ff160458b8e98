package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// After a compaction a client with an old cursor gets a snapshot and the kept events: the last
// exchange. The export still has all events, with the bytes that were sent.
func TestCompact(t *testing.T) {
	t.Parallel()
	s, gate := newCompactStory(t)
	s.open(gate, "")
	id := session()
	c := s.converse("a", id)
	_, last := s.talk(c, "one", "two", "three")
	done := s.cliJSON(0, "session", "compact", id)
	if done["done"] != true || done["messages_before"] != 6.0 || done["messages_after"] != 2.0 || done["tokens_saved"] != 1540.0 {
		t.Errorf("compacted: %v", done)
	}
	_, end := s.wait(c, 0, isNotice("HISTORY_COMPACTED"))
	s.wait(c, end, kit.IsIdle)
	s.wait(c, 0, kit.IsStatus(pb.AgentStatus_COMPACTING))
	all, err := kit.Journaled(c.Events(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range []uint64{0, 3} {
		events := s.replay(id, from)
		if !isCompactedInfo(events[0]) {
			t.Errorf("from %d: %s comes first", from, kit.Line(events[0]))
		}
		left, err := kit.Journaled(events, last)
		if err != nil {
			t.Fatal(err)
		}
		if err := kit.Same(all[last-1:], left); err != nil {
			t.Errorf("from %d: %v", from, err)
		}
	}
	if newer := s.replay(id, last); isCompactedInfo(newer[0]) {
		t.Error("a cursor above the boundary got a notice of lost history")
	}
	s.killDaemon()
	if events := s.replay(id, 0); !isCompactedInfo(events[0]) {
		t.Error("another daemon replays what was compacted")
	}
	if again := s.cliJSON(0, "session", "compact", id); again["messages_before"] != 2.0 || again["tokens_saved"] != nil {
		t.Errorf("compacted again: %v", again)
	}
	c = s.converseWith("a", &pb.StartConversation{SessionId: id, FromSequence: uint64(len(all))})
	s.say(c, "echo:life goes on")
	s.wait(c, 0, kit.IsTurnComplete)
}

// An active session is not compacted; a message that comes meanwhile is taken, and
// answered afterwards.
func TestCompactMeanwhile(t *testing.T) {
	t.Parallel()
	s, gate := newCompactStory(t)
	id := session()
	c := s.converse("a", id)
	next, _ := s.talk(c, "one", "two")
	s.say(c, "run:echo made")
	asked, next := s.wait(c, next, kit.IsPermission)
	if r := <-s.compact(id, ""); codeOf(r.err) != codes.FailedPrecondition {
		t.Errorf("while a request waits: %v", r.err)
	}
	s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	_, next = s.wait(c, next, kit.IsIdle)
	done := s.compact(id, "")
	_, next = s.wait(c, next, kit.IsStatus(pb.AgentStatus_COMPACTING))
	key := s.say(c, "echo:meanwhile")
	_, next = s.wait(c, next, func(e kit.Event) bool { return e.GetUserInput().GetIdempotencyKey() == key })
	s.open(gate, "")
	if r := <-done; r.err != nil || !r.answer.GetDone() {
		t.Errorf("%v, %v", r.answer, r.err)
	}
	_, next = s.wait(c, next, isNotice("HISTORY_COMPACTED"))
	s.wait(c, next, func(e kit.Event) bool { return strings.Contains(e.GetTextDelta().GetText(), "meanwhile") })
	s.sameHistoryBehind(c, id)
}

// A compaction is finished or undone, and reported, after a kill of any process in its middle.
func TestCompactAcrossKills(t *testing.T) {
	t.Parallel()
	for name, kill := range map[string]func(s *story, c *kit.Stream, id string){
		"the daemon": func(s *story, _ *kit.Stream, _ string) { s.killDaemon() },
		"the agent":  func(s *story, c *kit.Stream, id string) { s.killRun(c, id, false) },
		"both":       func(s *story, c *kit.Stream, id string) { s.killRun(c, id, false); s.killDaemon() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, gate := newCompactStory(t)
			id, key := session(), uuid.NewString()
			c := s.converse("a", id)
			_, last := s.talk(c, "one", "two")
			asked := s.compact(id, key)
			_, next := s.wait(c, 0, kit.IsStatus(pb.AgentStatus_COMPACTING))
			s.wait(c, next, func(e kit.Event) bool { return e.GetUserInput().GetIdempotencyKey() == key })
			kill(s, c, id)
			s.open(gate, "")
			<-asked // an answer, or the daemon is gone
			r := <-s.compact(id, key)
			if r.err != nil { // the agent had taken it in and was killed: undone, so that it may be tried again
				if codeOf(r.err) != codes.Internal || !strings.Contains(r.err.Error(), "compaction failed") {
					t.Fatal(r.err)
				}
				r = <-s.compact(id, uuid.NewString())
			}
			if r.err != nil || !r.answer.GetDone() || r.answer.GetBoundary() != last-1 {
				t.Fatalf("%v, %v", r.answer, r.err)
			}
			c = s.converse("a", id)
			s.wait(c, 0, isCompactedInfo)
			s.wait(c, 0, isNotice("HISTORY_COMPACTED"))
			s.say(c, "echo:life goes on")
			s.wait(c, 0, func(e kit.Event) bool { return strings.Contains(e.GetTextDelta().GetText(), "life") })
		})
	}
}

// A compaction that fails changes nothing.
func TestCompactFails(t *testing.T) {
	t.Parallel()
	s, gate := newCompactStory(t)
	s.open(gate, "fail")
	id := session()
	c := s.converse("a", id)
	next, _ := s.talk(c, "one", "two")
	s.cli(7, "session", "compact", id)
	_, next = s.wait(c, next, isError("COMPACTION_FAILED"))
	s.wait(c, next, kit.IsIdle)
	s.sameHistory(c, id)
	s.open(gate, "")
	s.cli(0, "session", "compact", id)
}

// The real agent summarises, in a process that is resumed for it, and goes on with the summary.
func TestRealCompact(t *testing.T) {
	t.Parallel()
	s, server := newReal(t)
	id := session()
	c := s.converse("a", id)
	s.say(c, "say hello")
	_, next := s.wait(c, 0, kit.IsIdle)
	second := s.say(c, "say it again")
	last, next := s.wait(c, next, func(e kit.Event) bool { return e.GetUserInput().GetIdempotencyKey() == second })
	_, next = s.wait(c, next, kit.IsIdle)
	stopped, err := s.daemon.Admin().StopSession(t.Context(), &pb.StopSessionRequest{SessionId: id})
	if err != nil || !stopped.GetWasRunning() {
		t.Fatalf("%v, %v", stopped, err)
	}
	r := <-s.compact(id, "")
	if r.err != nil || r.answer.GetBoundary() != last.GetSequence()-1 || r.answer.GetTokensBefore() == 0 || r.answer.GetMessagesAfter() >= r.answer.GetMessagesBefore() {
		t.Fatalf("%v, %v", r.answer, r.err)
	}
	_, next = s.wait(c, next, isNotice("COMPACTED"))
	_, next = s.wait(c, next, isNotice("HISTORY_COMPACTED"))
	if events := s.replay(id, 0); !isCompactedInfo(events[0]) {
		t.Errorf("%s comes first", kit.Line(events[0]))
	}
	s.say(c, "say something")
	s.wait(c, next, kit.IsTurnComplete)
	requests := server.Requests()
	if n := requests[len(requests)-1].Conversation.Count("say hello"); n != 0 {
		t.Errorf("the model is still sent the first message, %d times", n)
	}
	s.sameHistoryBehind(c, id)
}

// The daemon compacts a context above the threshold after the turn.
func TestCompactByItself(t *testing.T) {
	t.Parallel()
	s, gate := newCompactStory(t)
	s.open(gate, "")
	settings := filepath.Join(s.world.ConfigDir(), "settings.json")
	if err := os.WriteFile(settings, []byte(`{"sessions":{"auto_compact_threshold":5}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s.killDaemon()
	id := session()
	c := s.converse("a", id)
	s.say(c, "echo:one")
	compacted, _ := s.wait(c, 0, isNotice("HISTORY_COMPACTED"))
	if got := compacted.GetNotice().GetDetails()["trigger"]; got != "auto" {
		t.Errorf("compacted by %q", got)
	}
}

// An export has all events, also compacted ones, from the daemon and from a backup of its journal.
func TestExport(t *testing.T) {
	t.Parallel()
	s, gate := newCompactStory(t)
	s.open(gate, "")
	id := session()
	c := s.converse("a", id)
	s.talk(c, "one", "two")
	s.cli(0, "session", "compact", id)
	s.wait(c, 0, isNotice("HISTORY_COMPACTED"))
	s.cli(0, "session", "stop", id)
	_, end := s.wait(c, 0, kit.IsRun(pb.RunState_RUN_STATE_EXITED))
	all, err := kit.Journaled(c.Events()[:end], 1)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(s.cli(0, "session", "export", id)), "\n")
	if len(lines)-1 < len(all) {
		t.Fatalf("%d lines for %d events", len(lines), len(all))
	}
	var header map[string]any
	if err := json.Unmarshal([]byte(lines[0]), &header); err != nil || header["schema"] != "betcode.session.export/v1" {
		t.Errorf("%s: %v", lines[0], err)
	}
	for i, e := range all {
		var exported pb.AgentEvent
		if err := protojson.Unmarshal([]byte(lines[i+1]), &exported); err != nil || !proto.Equal(&exported, e.AgentEvent) {
			t.Errorf("event %d is exported as %s: %v", i+1, lines[i+1], err)
		}
	}
	file := filepath.Join(s.world.Root, "export.md")
	s.cli(0, "session", "export", "@last", "--format", "markdown", "--output", file)
	raw, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(raw), "## You\n\necho:one\n\n## Agent\n\none\n") {
		t.Errorf("%v\n%s", err, raw)
	}
	s.cli(1, "session", "export", "@last", "--format", "markdown", "--output", file) // it is there
	s.cli(6, "session", "export", session())

	backup := filepath.Join(s.world.Root, "backup")
	s.cli(0, "journal", "backup", backup)
	again := strings.Split(strings.TrimSpace(s.cli(0, "session", "export", id, "--backup", backup)), "\n")
	if !slices.Equal(again[1:len(all)+1], lines[1:len(all)+1]) {
		t.Error("the backup's export differs")
	}
}

// A cancelled compaction changes nothing, and messages that were sent meanwhile are answered.
func TestCompactCancelled(t *testing.T) {
	t.Parallel()
	s, gate := newCompactStory(t)
	id := session()
	c := s.converse("a", id)
	next, _ := s.talk(c, "one", "two")
	done := s.compact(id, "")
	_, next = s.wait(c, next, kit.IsStatus(pb.AgentStatus_COMPACTING))
	_, next = s.wait(c, next, func(e kit.Event) bool { return e.GetUserInput().GetContent() == "/compact" })
	cancel(s, c)
	if r := <-done; codeOf(r.err) != codes.Internal {
		t.Errorf("%v, %v", r.answer, r.err)
	}
	_, next = s.wait(c, next, isError("COMPACTION_FAILED"))
	s.wait(c, next, kit.IsIdle)
	s.sameHistory(c, id)
	s.open(gate, "")
	if r := <-s.compact(id, ""); r.err != nil || !r.answer.GetDone() {
		t.Errorf("%v, %v", r.answer, r.err)
	}
}
