package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// Turns that were cut off, and agents that cannot run.

// show returns the state of a session.
func (s *story) show(id string) *pb.SessionSummary {
	s.Helper()
	shown, err := s.daemon.Admin().ShowSession(s.Context(), &pb.ShowSessionRequest{SessionId: id})
	if err != nil {
		s.Fatal(err)
	}
	return shown.GetSummary()
}

// converseFromNow attaches a client that wants no history. It sees all that happens
// from here on.
func (s *story) converseFromNow(client, id string) *kit.Stream {
	s.Helper()
	c := s.converseWith(client, &pb.StartConversation{SessionId: id, History: pb.HistoryPolicy_HISTORY_POLICY_NONE})
	s.wait(c, 0, func(e kit.Event) bool { return e.GetSessionInfo() != nil })
	return c
}

// goOn sends the request of `betcode session resume`.
func (s *story) goOn(id string) {
	s.Helper()
	continued, err := s.daemon.Admin().ContinueSession(s.Context(), &pb.ContinueSessionRequest{SessionId: id})
	if err != nil || !continued.GetWasWaiting() {
		s.Fatalf("resume: %v, %v", continued, err)
	}
}

// TestRestartSession: the agent is ended and started again, and the turn that ran
// goes on.
func TestRestartSession(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	key := s.say(c, "stream:100:10:20ms\necho:awake again")
	s.wait(c, 0, kit.IsText)
	restarted, err := s.daemon.Admin().RestartSession(t.Context(), &pb.RestartSessionRequest{SessionId: id})
	if err != nil || !restarted.GetWasRunning() {
		t.Fatalf("restart: %v, %v", restarted, err)
	}
	s.wait(c, 0, kit.IsIdle)
	if got := kit.Text(c.Events()); !strings.HasSuffix(got, "awake again") {
		t.Errorf("text %q", got)
	}
	if n := s.accepted(id, key); n != 1 {
		t.Errorf("the message was taken into the conversation %d times", n)
	}
}

// TestAgentMissing: the session reports once that the agent is not installed; after the
// installation it goes on with the pending message.
func TestAgentMissing(t *testing.T) {
	t.Parallel()
	place := filepath.Join(t.TempDir(), "bin")
	s := newStory(t, filepath.Join(place, "claude"))
	id := session()
	c := s.converse("a", id)
	s.say(c, "echo:there it is")
	e, next := s.wait(c, 0, isError("AGENT_MISSING"))
	if !strings.Contains(e.GetError().GetDetails()["reason"], s.world.Agent) {
		t.Errorf("the error does not say what is missing: %v", e.GetError())
	}
	s.wait(c, next, kit.IsStatus(pb.AgentStatus_ERROR))
	if got := s.show(id); got.GetStatus() != "crashed" || got.GetCondition() != "agent_missing" {
		t.Errorf("%v", got)
	}
	if err := os.Mkdir(place, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(binaries.fake, s.world.Agent); err != nil {
		t.Fatal(err)
	}
	s.goOn(id)
	s.wait(c, next, kit.IsIdle)
	if got := kit.Text(c.Events()); got != "there it is" {
		t.Errorf("text %q", got)
	}
}

// TestDirectoryGone: an agent whose directory was removed is not started again and
// again; when the directory is back, a restart does.
func TestDirectoryGone(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	s.say(c, "echo:one")
	_, next := s.wait(c, 0, kit.IsIdle)
	s.killRun(c, id, false)
	_, next = s.wait(c, next, isError("SUBPROCESS_CRASHED"))
	if err := os.Rename(s.world.Project, s.world.Project+".away"); err != nil {
		t.Fatal(err)
	}
	s.say(c, "echo:two")
	s.wait(c, next, isError("WORKING_DIRECTORY_GONE"))
	s.killDaemon()
	if got := s.show(id); got.GetStatus() != "crashed" || got.GetCondition() != "working_directory_gone" {
		t.Errorf("%v", got)
	}
	if err := os.Rename(s.world.Project+".away", s.world.Project); err != nil {
		t.Fatal(err)
	}
	c = s.converseFromNow("a", id)
	if _, err := s.daemon.Admin().RestartSession(t.Context(), &pb.RestartSessionRequest{SessionId: id}); err != nil {
		t.Fatal(err)
	}
	s.wait(c, 0, kit.IsIdle)
	if got := kit.Text(c.Events()); !strings.HasSuffix(got, "two") {
		t.Errorf("text %q", got)
	}
}

// TestNothingSurvivesAStop: what left the session, the environment and the parents
// that an agent gave it ends with the agent, where there are control groups.
func TestNothingSurvivesAStop(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	s.say(c, "run:env -i setsid -f sh -c 'echo $$ >wild.tmp; mv wild.tmp wild.pid; exec sleep 1000' </dev/null >/dev/null 2>&1")
	asked, next := s.wait(c, 0, kit.IsPermission)
	s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	s.waitFile("wild.pid")
	s.wait(c, next, kit.IsIdle)
	word, err := os.ReadFile(s.file("wild.pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(word)))
	if err != nil {
		t.Fatal(err)
	}
	group, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
	contained := strings.Contains(string(group), "/betcode-")
	s.killRun(c, id, true)
	if _, err := s.daemon.Admin().StopSession(t.Context(), &pb.StopSessionRequest{SessionId: id}); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	switch there := err == nil && !strings.Contains(string(left), ") Z "); {
	case there && !contained:
		if wild, err := os.FindProcess(pid); err == nil {
			_ = wild.Kill() // it is ours: it has said so itself
		}
		t.Skip("no control group can be made here, and nothing else holds such a process")
	case there:
		t.Errorf("it is still there: %s", left)
	}
}

// TestCommandCutOff: the session reports a command that was running when its agent was killed.
func TestCommandCutOff(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	s.say(c, "run:touch started; sleep 1000")
	asked, _ := s.wait(c, 0, kit.IsPermission)
	s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	s.waitFile("started")
	s.killRun(c, id, false)
	e, _ := s.wait(c, 0, isNotice("CUT_OFF_TOOL"))
	if d := e.GetNotice().GetDetails(); d["tool"] != "Bash" || d["tool_id"] == "" || d["shown_to_agent"] != "yes" {
		t.Errorf("%v", d)
	}
}

// TestAgentThatHasToBeTold: the daemon prompts an agent whose version does not continue a turn by
// itself after a while. It stores that: the next time it prompts at once, also in another daemon.
func TestAgentThatHasToBeTold(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake, "FAKE_AGENT_STAYS=1", "BETCODE_CONTINUE_GRACE=1s")
	for _, prompt := range []string{"exit:3", "exit:4"} {
		c := s.converse("a", session())
		s.say(c, prompt)
		_, next := s.wait(c, 0, isNotice("TURN_NOT_CONTINUED"))
		told, next := s.wait(c, next, func(e kit.Event) bool { return e.GetUserInput() != nil })
		_, next = s.wait(c, next, func(e kit.Event) bool {
			return slices.Contains(e.GetTurnComplete().GetInputKeys(), told.GetUserInput().GetIdempotencyKey())
		})
		s.wait(c, next, kit.IsIdle)
		if got := kit.Text(c.Events()); !strings.HasSuffix(got, "Continue from where you left off.") {
			t.Errorf("text %q", got)
		}
		s.eventually("the version is remembered", func() bool {
			known, err := os.ReadFile(filepath.Join(s.world.StateDir(), "agent-versions.json"))
			return err == nil && strings.Contains(string(known), "not_continuing")
		})
		s.killDaemon()
	}
}

// TestResultWithoutExit: an agent that has ended its turn and ignores every request to exit is
// killed, by the stop of its session and by the end of the daemon.
func TestResultWithoutExit(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	first, second := session(), session()
	for _, id := range []string{first, second} {
		c := s.converse("a", id)
		s.say(c, "ignore-sigterm")
		s.wait(c, 0, kit.IsIdle)
	}
	agents := map[string]int{first: s.agent(first), second: s.agent(second)}
	gone := func(id string) bool { return !alive(agents[id]) || zombie(agents[id]) }
	stopped, err := s.daemon.Admin().StopSession(t.Context(), &pb.StopSessionRequest{SessionId: first})
	if err != nil || !stopped.GetWasRunning() || !gone(first) || gone(second) {
		t.Errorf("%v, %v; gone: %t, the other: %t", stopped, err, gone(first), gone(second))
	}
	if _, err := s.daemon.Stop(); err != nil || !gone(second) {
		t.Errorf("%v; gone: %t", err, gone(second))
	}
	s.start()
	for _, id := range []string{first, second} { // nothing is left to be done
		if got := s.show(id); got.GetStatus() != "idle" {
			t.Errorf("%v", got)
		}
	}
}
