package e2e

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// settings replaces settings.json and waits until the daemon has read it; answer is the expected line
// of its log. The file is never half written: the daemon may read it before the signal.
func (s *story) settings(text, answer string) {
	s.Helper()
	path := filepath.Join(s.world.ConfigDir(), "settings.json")
	if err := errors.Join(os.WriteFile(path+".new", []byte(text), 0o600), os.Rename(path+".new", path)); err != nil {
		s.Fatal(err)
	}
	before := strings.Count(s.daemon.Log(), answer)
	if err := syscall.Kill(s.daemon.PID(), syscall.SIGHUP); err != nil {
		s.Fatal(err)
	}
	s.eventually(answer, func() bool { return strings.Count(s.daemon.Log(), answer) > before })
}

// SIGHUP reads the deny rules again: the next agent has them.
func TestHangup(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	argv := func() []string {
		id := session()
		c := s.converse("a", id)
		s.say(c, "echo:hello")
		s.wait(c, 0, kit.IsIdle)
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", s.agent(id)))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(string(raw), "\x00")
	}
	denied := func(argv []string) bool {
		return slices.ContainsFunc(argv, func(arg string) bool { return strings.Contains(arg, "WebFetch") })
	}
	if denied(argv()) {
		t.Error("denied before")
	}
	s.settings(`{"permissions": {"deny": ["WebFetch"]}}`, "settings reloaded")
	if got := argv(); !denied(got) {
		t.Errorf("not denied: %q", got)
	}
	s.settings(`{ broken`, "settings cannot be read")
	if got := argv(); !denied(got) {
		t.Errorf("the rules are lost: %q", got)
	}
}

// A call that the user's rules decide makes no prompt.
func TestRules(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	s.settings(`{"permissions": {"allow": ["Bash(echo *)"], "ask": ["Bash(echo ask)"], "deny": ["Bash(rm *)"]}}`, "settings reloaded")
	s.followRules("run:echo hello", "run:echo ask", "run:echo x; rm -f y", "hello")

	// The same calls, held against other rules.
	other := filepath.Join(s.world.Root, "other.json")
	if err := os.WriteFile(other, []byte(`{"permissions": {"allow": ["Bash(echo ask)"], "deny": ["Bash(echo hello)"]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	said := s.cli(0, "permission", "test", "--history", "--settings", other, "--changes")
	for _, want := range []string{"deny\tnot asked", "allow\tallow once"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in\n%s", want, said)
		}
	}
}

// The same with the real agent, which would ask about each of these.
func TestRealRules(t *testing.T) {
	t.Parallel()
	s, _ := newReal(t)
	s.settings(`{"permissions": {"allow": ["Bash(touch *)", "Bash(echo *)"]}}`, "settings reloaded")
	c := s.converse("a", session())
	s.say(c, "tool please")
	_, end := s.wait(c, 0, kit.IsIdle)
	if s.permissions(c) != 0 || !s.exists("made.txt") {
		t.Errorf("%d requests, the file was made: %v", s.permissions(c), s.exists("made.txt"))
	}
	s.settings(`{"permissions": {"allow": ["Bash(touch *)"], "deny": ["Bash(echo *)"]}}`, "settings reloaded")
	s.say(c, "tool please")
	s.wait(c, end, isResult("has been denied")) // by the agent, which got the rule
	s.wait(c, end, kit.IsIdle)
	if s.permissions(c) != 0 {
		t.Errorf("%d requests", s.permissions(c))
	}
}

// followRules makes three calls: one that is allowed, one that is asked about and one that is
// denied.
func (s *story) followRules(allowed, asked, denied, result string) {
	s.Helper()
	c := s.converse("a", session())
	s.say(c, allowed)
	s.wait(c, 0, isResult(result))
	_, next := s.wait(c, 0, kit.IsIdle)
	if n := s.permissions(c); n != 0 {
		s.Errorf("%d requests about what a rule allows", n)
	}
	s.say(c, asked)
	request, next := s.wait(c, next, kit.IsPermission)
	s.answer(c, request, pb.PermissionDecision_ALLOW_ONCE, "")
	_, next = s.wait(c, next, kit.IsIdle)
	s.say(c, denied)
	s.wait(c, next, isResult("A rule forbids this call"))
	s.wait(c, next, kit.IsIdle)
	if n := s.permissions(c); n != 1 {
		s.Errorf("%d requests, want the one about what a rule wants to be asked about", n)
	}
}

// The agent of a directory that is not trusted runs restricted. Deny rules of the directory apply,
// allow rules do not; clients get a notice.
func TestTrust(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	s.say(c, "echo:before")
	_, next := s.wait(c, 0, kit.IsIdle)
	if err := os.Mkdir(s.file(".claude"), 0o700); err != nil {
		t.Fatal(err)
	}
	settings := `{"permissions": {"allow": ["Bash(echo *)"], "deny": ["Bash(rm *)"]}}`
	if err := os.WriteFile(s.file(".claude/settings.json"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	s.say(c, "run:rm -f x")
	s.wait(c, next, isResult("A rule forbids this call"))
	_, next = s.wait(c, next, kit.IsIdle)
	s.say(c, "run:echo x")
	request, next := s.wait(c, next, kit.IsPermission)
	s.answer(c, request, pb.PermissionDecision_DENY, "")
	s.wait(c, next, kit.IsIdle)

	s.wait(c, 0, func(e kit.Event) bool {
		n := e.GetNotice()
		return n.GetCode() == "DIRECTORY_NOT_TRUSTED" && strings.Contains(n.GetMessage(), "1 allow rule") &&
			strings.Contains(n.GetMessage(), "'betcode trust "+s.world.Project+"'")
	})
	if said := s.cli(0, "session", "show", id); !strings.Contains(said, "restricted") || !strings.Contains(said, "allow: Bash(echo *)") {
		t.Error(said)
	}
	if said, code := s.command(binaries.betcode, []string{"trust", s.world.Project}); code != 5 || !strings.Contains(said, "Bash(echo *)") || !strings.Contains(said, "add --yes") {
		t.Errorf("exit %d, %s", code, said)
	}
	s.cli(0, "trust", "--yes", s.world.Project)
	if said := s.cli(0, "permission", "explain", "--cwd", s.world.Project, "Bash", "echo y"); !strings.HasPrefix(said, "allow: ") {
		t.Error(said)
	}
	other := s.converse("a", session())
	s.say(other, "run:echo fine")
	s.wait(other, 0, isResult("fine"))
	s.wait(other, 0, kit.IsIdle)
	if n := s.permissions(other); n != 0 {
		t.Errorf("%d requests about what a trusted directory allows", n)
	}
}
