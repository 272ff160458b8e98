package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// restore kills the daemon, replaces its journal by a backup and starts the next one.
func (s *story) restore(backup string) {
	s.Helper()
	s.daemon.Kill()
	s.cli(0, "journal", "restore", "--state-dir", s.world.StateDir(), "--force", "--end-agents", backup)
	s.start()
}

// backUp creates a backup of the journal.
func (s *story) backUp() string {
	s.Helper()
	backup := filepath.Join(s.world.Root, "backup")
	s.cli(0, "journal", "backup", backup)
	return backup
}

// TestRestoredJournalIsOlderThanTheTranscript restores a backup of a turn that has ended since, and of a session that went on. The
// agent's transcript shows both: the daemon continues no turn, does not wait, and announces the gap in the history.
func TestRestoredJournalIsOlderThanTheTranscript(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id, other := session(), session()
	quiet := s.converse("b", other)
	s.say(quiet, "echo:before the backup")
	_, ended := s.wait(quiet, 0, kit.IsIdle)
	c := s.converse("a", id)
	first := s.say(c, "run:touch made.txt && echo made")
	asked, at := s.wait(c, 0, kit.IsPermission)
	backup := s.backUp()
	s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	_, at = s.wait(c, at, kit.IsTurnComplete)
	_, at = s.wait(c, at, kit.IsIdle)
	second := s.say(c, "echo:newer than the backup")
	s.wait(c, at, kit.IsTurnComplete)
	s.say(quiet, "echo:newer as well")
	s.wait(quiet, ended, kit.IsTurnComplete)

	s.restore(backup)
	c = s.converse("a", id)
	over, at := s.wait(c, 0, isNotice("TURN_ENDED_UNSEEN"))
	if got := over.GetNotice().GetDetails()["stop_reason"]; got != "end_turn" {
		t.Errorf("stop reason %q", got)
	}
	_, at = s.wait(c, at, kit.IsTurnComplete)
	behind, at := s.wait(c, at, isNotice("JOURNAL_BEHIND"))
	if d := behind.GetNotice().GetDetails(); d["messages"] != "1" || !strings.HasSuffix(d["transcript"], id+".jsonl") || d["first_at"] == "" {
		t.Errorf("details: %v", d)
	}
	if got := s.show(id); got.GetWaiting() != "" || got.GetStatus() != "idle" {
		t.Errorf("the session is %v", got)
	}
	third := s.say(c, "echo:life goes on")
	s.wait(c, at, kit.IsTurnComplete)
	for _, e := range c.Events() {
		if code := e.GetNotice().GetCode(); code == "TURN_NOT_CONTINUED" || code == "SESSION_RESTORED" {
			t.Errorf("notice %s", code)
		}
		if strings.HasPrefix(e.GetUserInput().GetContent(), "Continue from") {
			t.Error("the agent got a message to continue")
		}
	}
	for _, key := range []string{first, second, third} {
		if n := s.accepted(id, key); n != 1 {
			t.Errorf("a message was taken into the conversation %d times", n)
		}
	}

	quiet = s.converse("b", other)
	behind, _ = s.wait(quiet, 0, isNotice("JOURNAL_BEHIND"))
	if d := behind.GetNotice().GetDetails(); d["messages"] != "1" {
		t.Errorf("details of the other session: %v", d)
	}
}

// TestRestoredTurnThatIsNotOver restores a backup of a turn whose agent was killed: it waits for a person, and then goes on.
func TestRestoredTurnThatIsNotOver(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	key := s.say(c, "run:touch made.txt && echo made")
	s.wait(c, 0, kit.IsPermission)
	s.settledOnDisk(id, "tool_use") // else the resumed agent makes the call again, and asks
	s.restore(s.backUp())
	c = s.converse("a", id)
	_, at := s.wait(c, 0, isNotice("SESSION_RESTORED"))
	if got := s.show(id); got.GetWaiting() != "restored" {
		t.Errorf("the session is %v", got)
	}
	s.goOn(id)
	s.wait(c, at, kit.IsTurnComplete)
	if n := s.accepted(id, key); n != 1 {
		t.Errorf("the message was taken into the conversation %d times", n)
	}
}

// TestRealRestoredJournal is TestRestoredJournalIsOlderThanTheTranscript with the real agent.
func TestRealRestoredJournal(t *testing.T) {
	t.Parallel()
	s, server := newReal(t)
	id := session()
	c := s.converse("a", id)
	s.say(c, "job please")
	asked, at := s.wait(c, 0, kit.IsPermission)
	backup := s.backUp()
	s.create("release.txt")
	s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	_, at = s.wait(c, at, kit.IsTurnComplete)
	_, at = s.wait(c, at, kit.IsIdle)
	s.say(c, "say hello")
	s.wait(c, at, kit.IsTurnComplete)

	s.restore(backup)
	c = s.converse("a", id)
	_, at = s.wait(c, 0, isNotice("TURN_ENDED_UNSEEN"))
	behind, at := s.wait(c, at, isNotice("JOURNAL_BEHIND"))
	if d := behind.GetNotice().GetDetails(); d["messages"] != "1" {
		t.Errorf("details: %v", d)
	}
	s.say(c, "text please")
	s.wait(c, at, kit.IsTurnComplete)
	once(t, server, "job please")
	once(t, server, "say hello")
	once(t, server, "text please")
}
