package e2e

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// command runs the command line in the story's world, with more or other
// environment.
func (s *story) command(program string, args []string, env ...string) (said string, code int) {
	s.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env, cmd.Dir = append(s.world.Environ(), env...), s.world.Root
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// pid returns the process id of the daemon at the socket.
func (s *story) pid() string {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), patience)
	defer cancel()
	for {
		health, err := pb.NewBetCodeHealthClient(s.daemon.Conn()).GetHealthDetails(ctx, &pb.HealthDetailsRequest{})
		if err == nil {
			return health.GetMetadata()["pid"]
		}
		select {
		case <-ctx.Done():
			s.Fatal(err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// agent is the pid of a session's agent.
func (s *story) agent(id string) int {
	s.Helper()
	shown, err := s.daemon.Admin().ShowSession(s.Context(), &pb.ShowSessionRequest{SessionId: id})
	if err != nil {
		s.Fatal(err)
	}
	return int(shown.GetRun().GetPid())
}

// eventually polls a condition for which there is no event.
func (s *story) eventually(what string, is func() bool) {
	s.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.Fatalf("never: %s", what)
		}
	}
}

// stopBackground ends a daemon that the story did not start itself.
func (s *story) stopBackground() {
	s.Helper()
	if said, code := s.command(s.world.Binary, []string{"daemon", "stop"}); code != 0 {
		s.Errorf("daemon stop: exit %d\n%s", code, said)
	}
	s.daemon.Kill() // closes the connection; the process has ended
	s.daemon = nil
	if s.Failed() {
		log, _ := os.ReadFile(filepath.Join(s.world.StateDir(), "daemon.log"))
		s.Logf("the log of the daemon in the background:\n%s", log)
	}
}

// signal signals the daemon and waits for its end.
func (s *story) signal(signals ...syscall.Signal) {
	s.Helper()
	for i, sig := range signals {
		if i > 0 {
			s.logs("daemon shuts down")
		}
		if err := syscall.Kill(s.daemon.PID(), sig); err != nil {
			s.Fatal(err)
		}
	}
	s.eventually("the daemon has ended", s.daemon.Ended)
}

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

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

func zombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(stat), ") Z ")
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
