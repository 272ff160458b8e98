package e2e

import (
	"strings"
	"sync"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
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
		if said, code := s.command(s.world.Binary, args); code == 0 || !strings.Contains(said, "session "+holder[:8]+" has a") {
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

// TestWorktreeLeaseRace: of many clients that begin a session in one worktree at once, each with an exclusive lease, one gets it. The
// others are refused, and so are those without a lease that come later. A kill changes nothing.
func TestWorktreeLeaseRace(t *testing.T) {
	t.Parallel()
	s := newWorktreeStory(t)
	s.cli(0, "worktree", "create", "-b", "--repo", s.world.Project, "fresh")
	w := s.list()[0]
	const clients = 24
	var all sync.WaitGroup
	errs, ids := make([]error, clients), make([]string, clients)
	for n := range clients {
		ids[n] = session()
		all.Go(func() {
			stream, err := s.daemon.Converse(s.Context(), "client", &pb.StartConversation{
				SessionId: ids[n], WorktreeId: w.GetId(), WorktreeLock: pb.WorktreeLock_WORKTREE_LOCK_EXCLUSIVE,
			})
			if err == nil {
				_, _, err = stream.Wait(0, func(e kit.Event) bool { return e.GetSessionInfo() != nil })
				stream.Close()
			}
			errs[n] = err
		})
	}
	all.Wait()
	holder := ""
	for n, err := range errs {
		switch {
		case err != nil && !strings.Contains(err.Error(), "is in use: session"):
			t.Errorf("%s: %v", ids[n], err)
		case err == nil && holder != "":
			t.Errorf("%s and %s have an exclusive lease", holder, ids[n])
		case err == nil:
			holder = ids[n]
		}
	}
	for range 2 {
		leases := s.list()[0].GetLeases()
		if len(leases) != 1 || leases[0].GetSessionId() != holder || leases[0].GetState() != pb.WorktreeLeaseState_WORKTREE_LEASE_STATE_HELD {
			t.Errorf("the holder is %s, the leases %v", holder, leases)
		}
		if said, code := s.command(s.world.Binary, []string{"session", "new", "--worktree", "fresh"}); code == 0 || !strings.Contains(said, "session "+holder[:8]+" has an exclusive lease") {
			t.Errorf("exit %d: %s", code, said)
		}
		s.killDaemon()
	}
	if said := s.cli(0, "session", "list", "--worktree", "fresh", "-q"); strings.Count(said, "\n") != 1 {
		t.Errorf("sessions %s", said)
	}
}
