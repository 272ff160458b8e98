package process

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"betcode/actors/internal/launch"
	"betcode/messages"
)

// cgroups is where groups can be made, for a directory of run directories of its
// own.
func cgroups(t *testing.T) Cgroups {
	t.Helper()
	c, err := FindCgroups(t.TempDir())
	if err != nil {
		t.Skipf("no control group can be made here: %v", err)
	}
	t.Cleanup(func() {
		if _, err := os.Stat(c.base); err == nil {
			t.Errorf("%s is left over", c.base)
		}
	})
	return c
}

// contained returns a run whose agent is a shell in a control group. Its children have
// neither its token nor its session.
func contained(t *testing.T, script string) (r *run, wild int) {
	t.Helper()
	group := cgroups(t)
	r = prepared(t, "")
	r.spec.Program, r.spec.Argv = "/bin/sh", []string{"sh", "-c", "env -i setsid -f sh -c 'echo $$; exec sleep 1000'; " + script}
	r.spec.Cgroup = group.For(r.spec.Directory)
	r.spawn()
	wild, err := strconv.Atoi(r.answer())
	if err != nil {
		t.Fatal(err)
	}
	if path := cgroupOfRun(r.spec.Directory); path != r.spec.Cgroup || !inCgroup(wild, path) {
		t.Skipf("the system does not let a process begin in %s (%q is written down)", r.spec.Cgroup, path)
	}
	return r, wild
}

func isThere(pid int) bool { _, ok := look(pid); return ok && alive(pid) }

// TestCgroupHoldsWhatLeaves: an orphan in a session of its own, without our token and
// without our launcher above it, is found by its control group alone, and ends with its
// agent. The group is removed too.
func TestCgroupHoldsWhatLeaves(t *testing.T) {
	r, wild := contained(t, "exec sleep 1000")
	launcher := r.p.Launcher()
	if inCgroup(launcher.PID, r.spec.Cgroup) {
		t.Error("the launcher is in the group")
	}
	if err := unix.Kill(launcher.PID, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the launcher is gone", func() bool { return !lives(launcher) })
	if slices.ContainsFunc(r.p.Tree(), func(id messages.ProcessIdentity) bool { return id.PID == wild }) {
		t.Fatal("it is found without its group: this test shows nothing")
	}
	if err := r.p.KillTree(t.Context()); err != nil {
		t.Fatal(err)
	}
	if isThere(wild) {
		t.Error("it is still there")
	}
	if _, err := os.Stat(r.spec.Cgroup); err == nil {
		t.Error("so is its group")
	}
}

// TestCgroupOfAnEndedAgent: processes that an ended agent left in its group are found by
// the run directory, by a daemon that never saw the agent alive.
func TestCgroupOfAnEndedAgent(t *testing.T) {
	r, wild := contained(t, "exit 3")
	if _, err := r.p.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	RemoveCgroup(r.spec.Directory)
	if !isThere(wild) {
		t.Error("tidying up killed somebody")
	}
	record := r.record()
	record.Process, record.Launcher = r.p.Identity(), r.p.Launcher()
	if err := KillLeftovers(t.Context(), record); err != nil {
		t.Fatal(err)
	}
	if isThere(wild) {
		t.Error("it is still there")
	}
}

// TestCgroupIsOptional: an agent starts without a group where none can be made.
func TestCgroupIsOptional(t *testing.T) {
	for _, group := range []string{"/proc/nowhere/betcode-x/y", filepath.Join(t.TempDir(), "betcode-x", "y")} {
		r := prepared(t, "agent")
		r.spec.Cgroup = group
		r.spawn()
		if err := r.p.KillTree(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// TestCgroupThatIsNotOurs: a group in the run directory is used only if it can be one
// of ours.
func TestCgroupThatIsNotOurs(t *testing.T) {
	own, err := ownCgroup()
	if err != nil {
		t.Skipf("no control groups here: %v", err)
	}
	mount, _ := cgroupMount()
	run := t.TempDir()
	for _, path := range []string{
		"", "betcode-x/y", "/", "/tmp/betcode-x/y", mount, own, mount + "/betcode-x/../../y", filepath.Join(mount, "user.slice", "x"),
	} {
		if err := os.WriteFile(filepath.Join(run, launch.CgroupFile), []byte(path+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := cgroupOfRun(run); got != "" {
			t.Errorf("%q is taken for %q", path, got)
		}
	}
}

// TestCgroupsOfEarlierDaemons: empty groups are removed when a daemon
// starts.
func TestCgroupsOfEarlierDaemons(t *testing.T) {
	cgroups(t) // or none can be made
	runs := t.TempDir()
	c, err := FindCgroups(runs)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(c.For(runs), "below"), 0o755); err != nil {
		t.Fatal(err)
	}
	if again, err := FindCgroups(runs); err != nil || again != c {
		t.Errorf("%v, %v", again, err)
	}
	if _, err := os.Stat(c.base); err == nil {
		t.Error("they are still there")
		removeEmpty(c.base)
	}
}
