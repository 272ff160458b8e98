package e2e

import (
	"strings"
	"testing"
)

// TestWorktreeLeases: a lease keeps other sessions out, also after SIGKILL, until its session is stopped or deleted.
func TestWorktreeLeases(t *testing.T) {
	t.Parallel()
	s := newWorktreeStory(t)
	s.cli(0, "worktree", "create", "-b", "--repo", s.world.Project, "fresh")
	open := func(lease string) string {
		return strings.TrimSpace(lastLine(s.cli(0, "session", "new", "--worktree", "fresh", "--lease", lease)))
	}
	refused := func(holder string, args ...string) {
		t.Helper()
		if said, code := s.command(s.world.Binary, args); code == 0 || !strings.Contains(said, "session "+holder+" has an") {
			t.Errorf("%v: exit %d: %s", args, code, said)
		}
	}
	listed := func(leases string) {
		t.Helper()
		s.eventually("the leases are "+leases, func() bool {
			return strings.Contains(s.cli(0, "worktree", "list", "--all"), "\t"+leases+"\t")
		})
	}
	first := open("exclusive")
	listed("exclusive " + first[:8])
	refused(first, "session", "new", "--worktree", "fresh")
	refused(first, "run", "--worktree", "fresh", "--lease", "shared", "echo:hello")

	s.daemon.Kill()
	s.start()
	refused(first, "run", "--worktree", "fresh", "echo:hello")
	if said := s.cli(0, "run", "--session", first, "echo:hello"); !strings.Contains(said, "hello") {
		t.Errorf("the holder says %s", said)
	}

	s.cli(0, "session", "stop", first)
	listed("exclusive " + first[:8] + " (ended)")
	second, third := open("shared"), open("shared")
	refused(second, "run", "--session", first, "echo:again")
	s.cli(0, "session", "delete", "--yes", second)
	s.cli(0, "session", "delete", "--yes", third)
	s.eventually("the stopped session works again", func() bool {
		said, code := s.command(s.world.Binary, []string{"run", "--session", first, "echo:again"})
		return code == 0 && strings.Contains(said, "again")
	})
	listed("exclusive " + first[:8])
	s.cli(0, "session", "delete", "--yes", first)
	s.eventually("no lease is left", func() bool { return !strings.Contains(s.cli(0, "worktree", "list", "--all"), "exclusive") })
}
