package process

import (
	"context"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"betcode/messages"
)

// Tree returns the agent and those of its descendants that live: processes that
// descend from it or were orphaned below its launcher, and processes with the run's
// token in their environment. The oldest come first.
func (p *Process) Tree() []messages.ProcessIdentity { return leftovers(p.agent, p.launcher, p.token) }

// KillTree kills [Process.Tree], and the processes in the agent's control group, with
// SIGKILL. It repeats that until none is left, or ctx ends.
func (p *Process) KillTree(ctx context.Context) error {
	return killTree(ctx, p.dir, p.agent, p.launcher, p.token)
}

// KillLeftovers is KillTree for a run without a Process: its agent has ended, or
// [Adopt] found its directory damaged.
func KillLeftovers(ctx context.Context, record messages.RunRecord) error {
	if err := killTree(ctx, record.Directory, record.Process, record.Launcher, record.Token); err != nil {
		return err
	}
	if e, ok := look(record.Launcher.PID); ok && e.parent == os.Getpid() {
		reapLauncher(record.Launcher)
	}
	return nil
}

func killTree(ctx context.Context, run string, agent, launcher messages.ProcessIdentity, token string) error {
	const op = "kill process tree"
	var refused error
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		empty := killCgroup(run)
		left := leftovers(agent, launcher, token)
		if empty && len(left) == 0 {
			RemoveCgroup(run)
			return nil
		}
		for _, id := range left {
			if err := send(id, unix.SIGKILL); err != nil {
				refused = err
			}
		}
		select {
		case <-ctx.Done():
			if refused != nil {
				return &messages.Error{Op: op, Kind: messages.Denied, Err: refused}
			}
			return contextError(op, ctx)
		case <-time.After(wait):
		}
	}
}

// leftovers returns the processes of one run, without its launcher and without this
// process.
func leftovers(agent, launcher messages.ProcessIdentity, token string) []messages.ProcessIdentity {
	all := table()
	self := os.Getpid()
	roots := map[int]bool{}
	for _, id := range []messages.ProcessIdentity{agent, launcher} {
		if e, ok := all[id.PID]; ok && e.identity() == id && carries(id.PID, token) {
			roots[id.PID] = true
		}
	}
	// A daemon that was itself started below an agent has that agent's token in
	// its environment, and passes it on to its own children.
	tainted, _ := hasToken(self, token)

	var found []entry
	for pid, e := range all {
		if pid == self || pid == launcher.PID && roots[pid] {
			continue
		}
		below, ours := descends(all, pid, roots, self)
		if !below {
			has, _ := hasToken(pid, token)
			below = has && (!tainted || !ours)
		}
		if below {
			found = append(found, e)
		}
	}
	slices.SortFunc(found, func(a, b entry) int {
		if a.olderThan(b) {
			return -1
		}
		return 1
	})
	ids := make([]messages.ProcessIdentity, len(found))
	for i, e := range found {
		ids[i] = e.identity()
	}
	return ids
}

// descends walks from pid upwards: below means that it meets a root before it
// meets self, ours that it meets self.
func descends(all map[int]entry, pid int, roots map[int]bool, self int) (below, ours bool) {
	for range len(all) { // a table read while it changes may have a circle
		if roots[pid] {
			return true, false
		}
		if pid == self {
			return false, true
		}
		e, ok := all[pid]
		if !ok {
			return false, false
		}
		pid = e.parent
	}
	return false, false
}
