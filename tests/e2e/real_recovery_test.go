package e2e

import (
	"slices"
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// TestRealKeyRefused: if the API refuses the key of the real agent, the daemon ends the agent and
// the session has the condition; the next message starts a process that reads its key again.
func TestRealKeyRefused(t *testing.T) {
	t.Parallel()
	w, server := realWorld(t, binaries.betcode)
	w.Extra = append(w.Extra, "CLAUDE_CODE_MAX_RETRIES=1") // else it tries for three minutes
	s := storyIn(t, w)
	id := session()
	c := s.converse("a", id)
	s.say(c, "unauthorized please")
	_, next := s.wait(c, 0, isError("API_KEY_REFUSED"))
	_, next = s.wait(c, next, kit.IsStatus(pb.AgentStatus_ERROR))
	_, next = s.wait(c, next, kit.IsRun(pb.RunState_RUN_STATE_EXITED))
	if got := s.show(id); got.GetStatus() != "crashed" || got.GetCondition() != "api_key_refused" {
		t.Errorf("%v", got)
	}
	s.say(c, "say hello")
	_, next = s.wait(c, next, kit.IsRun(pb.RunState_RUN_STATE_STARTED))
	s.wait(c, next, kit.IsIdle)
	once(t, server, "say hello")
	if got := s.show(id); got.GetCondition() != "" {
		t.Errorf("%v", got)
	}
}

// TestRealCommandCutOff: the real agent is killed while a command of it runs. Clients get a notice
// that the command was interrupted, and the agent goes on by itself.
func TestRealCommandCutOff(t *testing.T) {
	t.Parallel()
	s, server := newReal(t)
	id := session()
	c := s.converse("a", id)
	s.say(c, "job please")
	asked, _ := s.wait(c, 0, kit.IsPermission)
	s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	s.waitFile("started.txt")
	s.settledOnDisk(id, "tool_use") // else the resumed agent makes the call again, and asks
	s.killAgent(c, id)
	e, next := s.wait(c, 0, isNotice("CUT_OFF_TOOL"))
	if d := e.GetNotice().GetDetails(); d["tool"] != "Bash" || d["shown_to_agent"] != "yes" {
		t.Errorf("%v", d)
	}
	s.create("release.txt")
	_, next = s.wait(c, next, kit.IsTurnComplete)
	s.wait(c, next, kit.IsIdle)
	once(t, server, "job please")
}

// TestRealNotLoggedIn: the real agent without a key and without a login reports that in its first
// turn. The session has the condition, and goes on under a daemon that has a key.
func TestRealNotLoggedIn(t *testing.T) {
	t.Parallel()
	w, server := realWorld(t, binaries.betcode)
	w.Extra = slices.DeleteFunc(w.Extra, func(entry string) bool { return strings.HasPrefix(entry, "ANTHROPIC_API_KEY=") })
	s := storyIn(t, w)
	id := session()
	c := s.converse("a", id)
	s.say(c, "say hello")
	said, next := s.wait(c, 0, isError("NOT_LOGGED_IN"))
	if text := said.GetError().GetMessage(); !strings.Contains(text, "log in") {
		t.Errorf("clients got %q", text)
	}
	s.wait(c, next, kit.IsRun(pb.RunState_RUN_STATE_EXITED))
	if got := s.show(id); got.GetStatus() != "crashed" || got.GetCondition() != "not_logged_in" {
		t.Errorf("%v", got)
	}
	told := s.cli(0, "logs", id)
	if strings.Count(told, "Not logged in") != 1 || strings.Count(told, "claude /login") != 1 {
		t.Errorf("the log says it several times, or not what mends it:\n%s", told)
	}
	w.Extra = append(w.Extra, "ANTHROPIC_API_KEY=dummy")
	s.killDaemon()
	c = s.converseFromNow("a", id)
	s.say(c, "say hello again")
	s.wait(c, 0, kit.IsTurnComplete)
	once(t, server, "say hello again")
	if got := s.show(id); got.GetCondition() != "" {
		t.Errorf("%v", got)
	}
}
