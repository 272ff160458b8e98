package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	pb "betcode/proto/betcode/v1"
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

func zombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(stat), ") Z ")
}
