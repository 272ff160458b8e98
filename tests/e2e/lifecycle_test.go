package e2e

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

func TestSignalEndsAgents(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			s := newStory(t, binaries.fake)
			id := session()
			c := s.converse("a", id)
			s.say(c, "sleep:1h")
			s.wait(c, 0, kit.IsRun(pb.RunState_RUN_STATE_STARTED))
			agent := s.agent(id)
			s.signal(sig)
			if alive(agent) {
				t.Error("the agent lives")
			}
			if !strings.Contains(s.daemon.Log(), fmt.Sprintf(`"cause":"signal: %s"`, sig)) {
				t.Errorf("the cause is not in the log:\n%s", s.daemon.Log())
			}
			if _, err := os.Lstat(s.world.Socket()); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the socket's file: %v", err)
			}
			s.start()
		})
	}
}

func TestSignalKeepsAgents(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake, "BETCODE_KEEP_AGENTS=1")
	id := session()
	c := s.converse("a", id)
	s.say(c, "run:touch made.txt")
	asked, _ := s.wait(c, 0, kit.IsPermission)
	agent := s.agent(id)
	s.signal(syscall.SIGTERM)
	if !alive(agent) {
		t.Fatal("the agent has ended")
	}
	// In the background that is the default.
	if said, code := s.command(s.world.Binary, []string{"daemon", "start"}, "BETCODE_KEEP_AGENTS="); code != 0 {
		t.Fatalf("exit %d\n%s", code, said)
	}
	s.daemon.Kill()
	pid := 0
	said, _ := s.command(s.world.Binary, []string{"daemon", "status", "--json"})
	if _, after, found := strings.Cut(said, `"pid": "`); found {
		fmt.Sscan(after, &pid)
	}
	if pid <= 1 {
		t.Fatalf("no pid in %s", said)
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	s.eventually("the daemon in the background has ended", func() bool {
		_, err := os.Lstat(s.world.Socket())
		return errors.Is(err, os.ErrNotExist)
	})
	if !alive(agent) {
		t.Fatal("the agent has ended")
	}
	s.eventually("its lock is free", func() bool { return !alive(pid) || zombie(pid) })
	s.start()
	c = s.converse("a", id)
	s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	s.wait(c, 0, kit.IsIdle)
	if now := s.agent(id); now != agent || !s.exists("made.txt") {
		t.Errorf("agent %d, was %d", now, agent)
	}
	if said, code := s.command(s.world.Binary, []string{"daemon", "stop"}); code != 0 || alive(agent) {
		t.Errorf("stop: exit %d, the agent lives: %v\n%s", code, alive(agent), said)
	}
	s.start()
}

// An operator may leave the agents to the next daemon.
func TestStopKeepsAgents(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	s.say(c, "run:touch made.txt")
	asked, _ := s.wait(c, 0, kit.IsPermission)
	agent := s.agent(id)
	said, code := s.command(s.world.Binary, []string{"daemon", "stop", "--keep-agents"})
	s.eventually("the daemon has ended", s.daemon.Ended)
	if code != 0 || !alive(agent) || !strings.Contains(s.daemon.Log(), `"cause":"requested by a client"`) {
		t.Errorf("exit %d, the agent lives: %v\n%s", code, alive(agent), said)
	}
	s.start()
	c = s.converse("a", id)
	s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	s.wait(c, 0, kit.IsIdle)
	if now := s.agent(id); now != agent || !s.exists("made.txt") {
		t.Errorf("agent %d, was %d", now, agent)
	}
}

// The daemon waits for an agent that ignores SIGTERM until it kills it; a second signal ends the
// daemon at once, and the agent stays. On a busy machine the second one may arrive after the wait:
// then the test tries again.
func TestSecondSignal(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	for range 10 {
		id := session()
		c := s.converse("a", id)
		s.say(c, "ignore-sigterm\ngate:never")
		s.wait(c, 0, func(e kit.Event) bool { return strings.Contains(e.GetTextDelta().GetText(), "go.") }) // "I will not go."
		agent := s.agent(id)
		s.signal(syscall.SIGTERM, syscall.SIGTERM)
		waited := !strings.Contains(s.daemon.Log(), "second signal")
		if lives := alive(agent) && !zombie(agent); lives == waited {
			t.Errorf("waited for the agent: %t, it lives: %t\n%s", waited, lives, s.daemon.Log())
		}
		s.start()
		if !waited {
			return
		}
	}
	t.Error("the second signal always came too late")
}

// A daemon removes no socket that is not its own.
func TestForeignSocket(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	if err := os.Remove(s.world.Socket()); err != nil {
		t.Fatal(err)
	}
	foreign, err := net.Listen("unix", s.world.Socket())
	if err != nil {
		t.Fatal(err)
	}
	defer foreign.Close()
	s.signal(syscall.SIGTERM)
	if _, err := os.Lstat(s.world.Socket()); err != nil {
		t.Errorf("the other's socket is gone: %v", err)
	}
	foreign.Close()
	s.start()
}

// Launchers look at the lock that a daemon really holds.
func TestLeaseIsTheDaemonsLock(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	s.say(c, "echo:hello")
	s.wait(c, 0, kit.IsIdle)
	shown, err := s.daemon.Admin().ShowSession(t.Context(), &pb.ShowSessionRequest{SessionId: id})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", shown.GetRun().GetLauncherPid()))
	if err != nil {
		t.Fatal(err)
	}
	lease := filepath.Join(s.world.StateDir(), "daemon.lock")
	if argv := strings.Split(string(raw), "\x00"); !slices.Contains(argv, lease) {
		t.Fatalf("the launcher looks elsewhere: %q", argv)
	}
	held := func() bool {
		f, err := os.Open(lease)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		return syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) != nil
	}
	if !held() {
		t.Error("a daemon serves, and the lease is free")
	}
	s.daemon.Kill()
	s.eventually("the lease is free", func() bool { return !held() })
	s.start()
	if !held() {
		t.Error("the next daemon serves, and the lease is free")
	}
}
