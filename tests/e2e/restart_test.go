package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"betcode/tests/kit"
)

// A newer program takes over in the middle of a turn.
func TestRestart(t *testing.T) {
	t.Parallel()
	newer := filepath.Join(t.TempDir(), "betcode")
	build := exec.Command("go", "build", "-ldflags", "-X main.version=2.0.0", "-o", newer, "betcode/cmd/betcode")
	build.Dir = kit.Repository()
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	s.say(c, "stream:150:20:20ms")
	s.wait(c, 0, func(e kit.Event) bool { return e.GetTextDelta() != nil })
	before, agent := s.pid(), s.agent(id)

	// The environment of the command is not that of the daemon.
	said, code := s.command(newer, []string{"daemon", "restart"}, "BETCODE_CLAUDE=/does/not/exist")
	if code != 0 || !strings.Contains(said, "Version 2.0.0, before dev.") {
		t.Fatalf("exit %d\n%s", code, said)
	}
	if !s.daemon.Ended() || s.pid() == before {
		t.Errorf("the former daemon, %s, serves", before)
	}
	if now := s.agent(id); now != agent {
		t.Errorf("agent %d, was %d", now, agent)
	}
	seen, err := kit.Journaled(c.Events(), 1)
	if err != nil {
		t.Fatal(err)
	}
	c = s.converse("a", id)
	_, end := s.wait(c, 0, kit.IsIdle)
	all, err := kit.Journaled(c.Events()[:end], 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := kit.Same(seen, all[:len(seen)]); err != nil {
		t.Error(err)
	}
	if n := len(kit.Text(all)); n != 150*20 {
		t.Errorf("%d bytes of text", n)
	}
	other := s.converse("a", session()) // which starts an agent: the environment is the former daemon's
	s.say(other, "echo:hello")
	s.wait(other, 0, kit.IsIdle)
	if said, code := s.command(s.world.Binary, []string{"daemon", "restart"}); code != 0 || !strings.Contains(said, "Version dev, before 2.0.0.") {
		t.Errorf("and back: exit %d\n%s", code, said)
	}
	s.pid()
	s.stopBackground()
	if alive(agent) {
		t.Error("'daemon stop' left an agent")
	}
}

// The next daemon does not start: the command reports that, and the agents go on.
func TestRestartFails(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	s.say(c, "run:touch made.txt")
	s.wait(c, 0, kit.IsPermission)
	agent := s.agent(id)
	settings := filepath.Join(s.world.ConfigDir(), "settings.json")
	if err := os.WriteFile(settings, []byte("{ broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	said, code := s.command(s.world.Binary, []string{"daemon", "restart"})
	for _, words := range []string{"settings.json:1", "the agents go on working", "put the former version back", "'daemon start'"} {
		if code != 5 || !strings.Contains(said, words) { // that of the daemon
			t.Errorf("exit %d, %q is missing:\n%s", code, words, said)
		}
	}
	if !alive(agent) {
		t.Error("the agent has ended")
	}
	if err := os.Remove(settings); err != nil {
		t.Fatal(err)
	}
	if said, code := s.command(s.world.Binary, []string{"daemon", "restart"}); code != 0 || !strings.Contains(said, "No daemon answers") {
		t.Errorf("exit %d\n%s", code, said)
	}
	s.pid()
	if now := s.agent(id); now != agent {
		t.Errorf("agent %d, was %d", now, agent)
	}
	s.stopBackground()
}

// The command is killed half-way, with everything in its session.
func TestRestartIsNotHalf(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	restart := exec.Command(s.world.Binary, "daemon", "restart")
	restart.Env, restart.SysProcAttr = s.world.Environ(), &syscall.SysProcAttr{Setsid: true}
	before := s.pid()
	if err := restart.Start(); err != nil {
		t.Fatal(err)
	}
	s.eventually("the daemon has ended", s.daemon.Ended)
	_ = syscall.Kill(-restart.Process.Pid, syscall.SIGKILL)
	_ = restart.Wait()
	if now := s.pid(); now == before {
		t.Errorf("the former daemon, %s, serves", before)
	}
	s.stopBackground()
}
