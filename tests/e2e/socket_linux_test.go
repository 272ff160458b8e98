package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"betcode/tests/kit"
)

// TestDeletedSocket deletes the socket's file, then its directory: the daemon creates them again,
// and an open stream goes on.
func TestDeletedSocket(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	c := s.converse("a", session())
	s.say(c, "echo:one")
	_, at := s.wait(c, 0, kit.IsIdle)
	before := s.pid()
	for _, path := range []string{s.world.Socket(), filepath.Dir(s.world.Socket())} {
		s.eventually("it is deleted", func() bool { return os.RemoveAll(path) == nil }) // the daemon may make the socket again in between
		s.eventually("the socket is there again", func() bool {
			_, err := os.Lstat(s.world.Socket())
			return err == nil
		})
		if status := s.cli(0, "daemon", "status"); !strings.Contains(status, "PID: "+before) {
			t.Errorf("status:\n%s", status)
		}
	}
	s.say(c, "echo:two")
	s.wait(c, at, kit.IsTurnComplete)
}

// TestDaemonIsFoundByItsLock freezes a daemon, so that it does not create its deleted socket again:
// the commands print its pid, and stop ends it.
func TestDaemonIsFoundByItsLock(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	pid := s.daemon.PID()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	s.eventually("the daemon has stopped", func() bool { return kit.Stopped(pid) })
	if status := s.cliJSON(2, "daemon", "status"); status["running"] != true || status["reachable"] != false || status["pid"] != float64(pid) {
		t.Errorf("status of a daemon that hangs: %v", status)
	}
	if err := os.Remove(s.world.Socket()); err != nil {
		t.Fatal(err)
	}
	if status := s.cliJSON(2, "daemon", "status"); status["running"] != true || status["reachable"] != false || status["pid"] != float64(pid) {
		t.Errorf("status: %v", status)
	}
	for _, command := range [][]string{{"daemon", "status"}, {"daemon", "start"}, {"session", "list"}, {"daemon", "stop", "--keep-agents"}} {
		if out, code := s.command(binaries.betcode, command); code != 2 || !strings.Contains(out, strconv.Itoa(pid)) {
			t.Errorf("%v: exit %d, %s", command, code, out)
		}
	}
	ended := make(chan string, 1)
	go func() {
		out, code := s.command(binaries.betcode, []string{"daemon", "stop"})
		ended <- strconv.Itoa(code) + " " + out
	}()
	select {
	case out := <-ended:
		t.Errorf("stop ended before the daemon: %s", out)
	default:
	}
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if out := <-ended; !strings.HasPrefix(out, "0 ") {
		t.Errorf("stop: %s", out)
	}
	s.eventually("the daemon has ended", s.daemon.Ended)
	s.start()
}
