package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	pb "betcode/proto/betcode/v1"
)

// TestWorktreeSetupLive: the output of a setup is watched while it runs, and the setup is canceled from another terminal.
func TestWorktreeSetupLive(t *testing.T) {
	t.Parallel()
	s := newWorktreeStory(t)
	s.cli(0, "config", "set", "worktree.setup_commands", `["echo begun; sleep 600 & echo $! >pid; wait"]`)
	creates := make(chan string, 1)
	go func() {
		said, _ := s.command(s.world.Binary, []string{"worktree", "create", "-b", "--repo", s.world.Project, "fresh"})
		creates <- said
	}()
	w := s.setupBegun()
	s.cli(0, "worktree", "setup", "--cancel", "fresh")
	if said := <-creates; !strings.Contains(said, "begun\n") || !strings.Contains(said, "The setup ended: canceled") {
		t.Errorf("created: %s", said)
	}
	s.dead(filepath.Join(w.GetPath(), "pid"))
	if said, code := s.command(s.world.Binary, []string{"worktree", "setup", "--watch", "fresh"}); code == 0 || !strings.Contains(said, "begun\n") || !strings.Contains(said, "canceled") {
		t.Errorf("watched later, exit %d: %s", code, said)
	}
	if said, code := s.command(s.world.Binary, []string{"worktree", "setup", "--cancel", "fresh"}); code == 0 || !strings.Contains(said, "does not run") {
		t.Errorf("canceled twice, exit %d: %s", code, said)
	}
}

// TestWorktreeSetupDiesWithDaemon: a setup does not outlive a daemon that is killed. The next one has its output and runs it
// again.
func TestWorktreeSetupDiesWithDaemon(t *testing.T) {
	t.Parallel()
	s := newWorktreeStory(t)
	s.cli(0, "config", "set", "worktree.setup_commands", `["echo begun; setsid sleep 600 >/dev/null 2>&1 & echo $! >pid; until [ -e again ]; do sleep 0.05; done"]`)
	if _, err := pb.NewWorktreeServiceClient(s.daemon.Conn()).CreateWorktree(s.Context(), &pb.CreateWorktreeRequest{
		RepoPath: s.world.Project, Branch: "fresh", CreateBranch: true,
	}); err != nil {
		t.Fatal(err)
	}
	w := s.setupBegun()
	s.eventually("its output is in the record", func() bool { return s.list()[0].GetSetup().GetOutput() == "begun\n" })
	s.daemon.Kill()
	s.start()
	s.dead(filepath.Join(w.GetPath(), "pid"))
	s.eventually("the setup has failed", func() bool {
		setup := s.list()[0].GetSetup()
		return setup.GetStatus() == pb.WorktreeSetupStatus_WORKTREE_SETUP_STATUS_FAILED && strings.HasPrefix(setup.GetOutput(), "begun\ninterrupted")
	})
	if err := os.WriteFile(filepath.Join(w.GetPath(), "again"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if said, code := s.command(s.world.Binary, []string{"worktree", "setup", "fresh"}); code != 0 || !strings.Contains(said, "begun") || !strings.Contains(said, "ended well") {
		t.Errorf("again, exit %d: %s", code, said)
	}
}

// setupBegun waits until the setup of the only worktree has written a file with a pid.
func (s worktreeStory) setupBegun() (w *pb.WorktreeInfo) {
	s.Helper()
	s.eventually("the setup runs", func() bool {
		all := s.list()
		if len(all) != 1 {
			return false
		}
		w = all[0]
		text, err := os.ReadFile(filepath.Join(w.GetPath(), "pid"))
		return err == nil && strings.HasSuffix(string(text), "\n")
	})
	return w
}

// dead waits for the end of the process whose pid is in a file.
func (s worktreeStory) dead(file string) {
	s.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		s.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		s.Fatal(err)
	}
	s.eventually("process "+strconv.Itoa(pid)+" has ended", func() bool {
		stat, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || strings.Contains(string(stat), ") Z ")
	})
}
