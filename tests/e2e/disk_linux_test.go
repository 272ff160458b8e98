package e2e

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// TestDiskFull: before the disk is full the agent is frozen in its turn and new turns are refused;
// pending requests are shown and answered. With free space everything goes on, and no line is
// missing.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	w, err := kit.NewWorld(smallDisk(t, "160m", "160m"), binaries.fake, "BETCODE_DISK_LOW=48MiB")
	if err != nil {
		t.Fatal(err)
	}
	s := storyIn(t, w)
	streaming, asking := session(), session()
	c, d := s.converse("a", streaming), s.converse("b", asking)
	s.say(d, "run:echo allowed > made.txt")
	asked, _ := s.wait(d, 0, kit.IsPermission)
	s.say(c, "stream:300:20:10ms\necho:the end")
	s.wait(c, 0, kit.IsText)

	s.fillDisk("", 32<<20)
	_, next := s.wait(c, 0, isNotice("DISK_FULL"))
	s.wait(d, 0, isNotice("DISK_FULL"))
	s.eventually("both agents are stopped", func() bool { return s.agentState(streaming) == "T" && s.agentState(asking) == "T" })
	other := s.converse("c", session())
	s.say(other, "echo:one more")
	s.wait(other, 0, isError("DISK_FULL"))
	health, err := pb.NewBetCodeHealthClient(s.daemon.Conn()).GetHealthDetails(context.Background(), &pb.HealthDetailsRequest{})
	if err != nil || !health.GetDegraded() || health.GetOverallStatus() != pb.ServingStatus_SERVING || !strings.Contains(health.GetDegradedReason(), "Disk") {
		t.Errorf("health: %v, %v", health, err)
	}
	late := s.converse("late", asking)
	s.wait(late, 0, kit.IsPermission)
	s.answer(late, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	s.wait(d, 0, isResolved)
	if s.exists("made.txt") {
		t.Error("an agent runs although it is stopped")
	}

	s.emptyDisk("")
	s.wait(c, next, isNotice("AGENT_GOES_ON"))
	s.wait(c, next, kit.IsIdle)
	s.wait(d, 0, kit.IsIdle)
	if !s.exists("made.txt") {
		t.Error("the answer did not reach the agent")
	}
	if text := kit.Text(c.Events()); len(text) < 300*20 || !strings.HasSuffix(text, "the end") {
		t.Errorf("%d bytes of text, %.100q at the end", len(text), text[max(0, len(text)-100):])
	}
	s.say(other, "echo:one more")
	s.wait(other, 0, kit.IsIdle)
	s.sameHistory(c, streaming)
	s.sameHistory(d, asking)
}

// TestRealDiskFull is the same with the real agent: it goes on where it was frozen.
func TestRealDiskFull(t *testing.T) {
	t.Parallel()
	w, server := realWorld(t, smallDisk(t, "160m", "160m"))
	w.Extra = append(w.Extra, "BETCODE_DISK_LOW=48MiB")
	s := storyIn(t, w)
	id := session()
	c := s.converse("a", id)
	s.say(c, "say hello")
	_, first := s.wait(c, 0, kit.IsIdle)
	s.fillDisk("", 32<<20)
	_, next := s.wait(c, first, isNotice("DISK_FULL"))
	s.eventually("the agent is stopped", func() bool { return s.agentState(id) == "T" })
	s.say(c, "say it again")
	s.wait(c, next, isError("DISK_FULL"))
	s.emptyDisk("")
	_, next = s.wait(c, next, isNotice("AGENT_GOES_ON"))
	s.say(c, "say it again")
	s.wait(c, next, kit.IsTurnComplete)
	once(t, server, "say it again")
	s.sameHistory(c, id)
}

// TestJournalFails: while the journal is not writable the agent goes on, clients get its output
// marked volatile, and messages are refused. After recovery the daemon publishes the same events
// with numbers, and none is missing.
func TestJournalFails(t *testing.T) {
	t.Parallel()
	w, err := kit.NewWorld(smallDisk(t, "256m", "96m"), binaries.fake, "BETCODE_DISK_LOW=16MiB")
	if err != nil {
		t.Fatal(err)
	}
	s := storyIn(t, w)
	id := session()
	c := s.converse("a", id)
	s.say(c, "stream:4000:4096:1ms\necho:the end")
	s.wait(c, 0, kit.IsText)
	s.fillDisk("journal", 0)
	_, next := s.wait(c, 0, isNotice("JOURNAL_FAILS"))
	s.wait(c, next, func(e kit.Event) bool { return kit.IsText(e) && e.GetVolatile() && e.GetSequence() == 0 })
	s.say(c, "echo:one more")
	refused, _ := s.wait(c, next, isError("SQLITE_ERROR"))
	if refused.GetSequence() != 0 {
		t.Errorf("the refusal is journaled: %v", refused)
	}
	health, err := pb.NewBetCodeHealthClient(s.daemon.Conn()).GetHealthDetails(context.Background(), &pb.HealthDetailsRequest{})
	if err != nil || health.GetOverallStatus() != pb.ServingStatus_NOT_SERVING {
		t.Errorf("health: %v, %v", health, err)
	}

	s.emptyDisk("journal")
	_, next = s.wait(c, next, func(e kit.Event) bool { return isNotice("JOURNAL_BACK")(e) && e.GetSequence() > 0 })
	s.wait(c, next, func(e kit.Event) bool { return kit.IsIdle(e) && e.GetSequence() > 0 })
	journaled, err := kit.Journaled(c.Events(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if text := kit.Text(journaled); len(text) < 4000*4096 || !strings.HasSuffix(text, "the end") {
		t.Errorf("%d bytes of text", len(text))
	}
	s.sameHistory(c, id)
	next = len(c.Events())
	s.say(c, "echo:one more")
	s.wait(c, next, kit.IsIdle)
}

// TestRunWhileJournalFails: `betcode run` prints the answer once and completely if the journal
// fails in its middle, and ends with an error if its message is refused.
func TestRunWhileJournalFails(t *testing.T) {
	t.Parallel()
	w, err := kit.NewWorld(smallDisk(t, "256m", "96m"), binaries.fake, "BETCODE_DISK_LOW=16MiB")
	if err != nil {
		t.Fatal(err)
	}
	s := storyIn(t, w)
	run := exec.Command(binaries.betcode, "run", "--name", "long", "stream:3000:4096:1ms\necho:the end")
	var answer, complaint bytes.Buffer
	run.Env, run.Dir, run.Stdout, run.Stderr = w.Environ(), w.Project, &answer, &complaint
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	c := s.converseWith("watcher", &pb.StartConversation{SessionId: s.waitForSession(), Observer: true})
	s.wait(c, 0, kit.IsText)
	s.fillDisk("journal", 0)
	_, next := s.wait(c, 0, isNotice("JOURNAL_FAILS"))
	s.wait(c, next, func(e kit.Event) bool { return kit.IsText(e) && e.GetVolatile() })
	if said, code := s.command(w.Binary, []string{"run", "-r", "long", "echo:never"}); code == 0 || !strings.Contains(said, "no space left") {
		t.Errorf("a message that cannot be kept: exit %d: %s", code, said)
	}
	s.emptyDisk("journal")
	if err := run.Wait(); err != nil {
		t.Errorf("%v: %.500s", err, complaint.String())
	}
	text := answer.String()
	if want := 3000*4096 + len("\n\nthe end\n"); len(text) != want || !strings.HasSuffix(text, "the end\n") {
		t.Errorf("%d bytes are printed, the answer has %d: …%.40q", len(text), want, text[max(0, len(text)-40):])
	}
}

// TestStopWhileJournalFails: a session is stopped although nothing can be journaled;
// when the journal is back it is still stopped, and the next message starts it.
func TestStopWhileJournalFails(t *testing.T) {
	t.Parallel()
	w, err := kit.NewWorld(smallDisk(t, "256m", "96m"), binaries.fake, "BETCODE_DISK_LOW=16MiB")
	if err != nil {
		t.Fatal(err)
	}
	s := storyIn(t, w)
	id := session()
	c := s.converse("a", id)
	s.say(c, "stream:100000:4096:1ms\necho:never said")
	s.wait(c, 0, kit.IsText)
	agent := s.agent(id)
	s.fillDisk("journal", 0)
	_, next := s.wait(c, 0, isNotice("JOURNAL_FAILS"))
	stopped, err := s.daemon.Admin().StopSession(t.Context(), &pb.StopSessionRequest{SessionId: id})
	if err != nil || !stopped.GetWasRunning() {
		t.Fatalf("%v, %v", stopped, err)
	}
	if alive(agent) && !zombie(agent) {
		t.Error("its agent lives")
	}
	if noted, err := os.ReadDir(s.onDisk("stops")); err != nil || len(noted) != 1 || noted[0].Name() != id {
		t.Errorf("noted: %v, %v", noted, err)
	}

	s.emptyDisk("journal")
	_, next = s.wait(c, next, isNotice("JOURNAL_BACK"))
	_, next = s.wait(c, next, func(e kit.Event) bool {
		return e.GetTurnComplete().GetStopReason() == "cancelled" && e.GetSequence() > 0
	})
	_, next = s.wait(c, next, func(e kit.Event) bool { return kit.IsRun(pb.RunState_RUN_STATE_EXITED)(e) && e.GetSequence() > 0 })
	s.eventually("it is forgotten", func() bool {
		noted, err := os.ReadDir(s.onDisk("stops"))
		return err == nil && len(noted) == 0
	})
	s.say(c, "echo:one more")
	s.wait(c, next, kit.IsTurnComplete)
	if text := kit.Text(c.Events()); strings.Contains(text, "never said") || !strings.HasSuffix(text, "one more") {
		t.Errorf("%d bytes of text, %.100q at the end", len(text), text[max(0, len(text)-100):])
	}
	s.sameHistory(c, id)
}
