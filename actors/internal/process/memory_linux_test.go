package process

import (
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

// A SIGKILL at the limit is distinguished from one by a person.
func TestKilledBy(t *testing.T) {
	yes, no := func() bool { return true }, func() bool { return false }
	for _, c := range []struct {
		signal   unix.Signal
		exceeded func() bool
		want     string
	}{{unix.SIGKILL, yes, MemoryExceeded}, {unix.SIGKILL, no, "killed"}, {unix.SIGTERM, yes, "killed"}} {
		if got := killedBy(int(c.signal), c.exceeded); got != c.want {
			t.Errorf("%v: %s", c.signal, got)
		}
	}
	if memoryExceeded(t.TempDir()) {
		t.Error("a run without a group has needed too much memory")
	}
}

// Only what the daemon has started is moved with it.
func TestDaemons(t *testing.T) {
	child := exec.Command("sleep", "1000")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	for pid, want := range map[int]bool{os.Getpid(): true, child.Process.Pid: true, os.Getppid(): false, 1: false} {
		if got := daemons(pid); got != want {
			t.Errorf("%d: %v", pid, got)
		}
	}
	if err := child.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = child.Wait() // it was killed
	if !daemons(child.Process.Pid) {
		t.Error("a process that has ended is in the way")
	}
}

// Where memory can be limited, a group has the limit; elsewhere the agent gets a group without one.
func TestMemoryLimit(t *testing.T) {
	c := cgroups(t)
	run := t.TempDir()
	path := makeCgroup(run, c.For(run), 256<<20)
	if path == "" {
		t.Fatal("no group")
	}
	defer RemoveCgroup(run)
	limit, err := os.ReadFile(path + "/memory.max")
	if err := c.EnableMemory(); err != nil {
		t.Skipf("memory cannot be limited here: %v", err)
	}
	if err != nil || string(limit) != "268435456\n" {
		t.Errorf("limited to %q, %v", limit, err)
	}
}
