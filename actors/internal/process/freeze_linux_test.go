package process

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// state returns the state of a process in the kernel.
func state(pid int) byte {
	e, ok := look(pid)
	if !ok {
		return 0
	}
	return e.state
}

// child has the agent start a process in a session of its own.
func (r *run) child() int {
	r.t.Helper()
	r.send("child sleep 1000")
	answered := r.answer()
	pid, err := strconv.Atoi(answered)
	if err != nil {
		r.t.Fatalf("the agent's child: %q", answered)
	}
	return pid
}

// Freezing reaches processes in sessions of their own, and no others; a thaw continues
// all of them; a frozen agent can be killed. The shell that is its child may have
// forked just now, and stops behind what it has forked.
func TestFreezeAndThaw(t *testing.T) {
	r, other := started(t, "agent"), started(t, "agent")
	child := r.child()
	for range 2 { // the second time nothing changes
		if err := r.p.Freeze(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	stopped := func(pid int) bool { return state(pid) == 'T' || state(pid) == 'D' && stopPending(pid) }
	for _, pid := range []int{r.p.Identity().PID, child} { // one that waits for the disk stops behind that
		eventually(t, fmt.Sprintf("%d, of agent %d, is stopped", pid, r.p.Identity().PID), func() bool { return stopped(pid) })
	}
	for name, pid := range map[string]int{"its launcher": r.p.Launcher().PID, "another agent": other.p.Identity().PID} {
		if state(pid) == 'T' {
			t.Errorf("%s was stopped too", name)
		}
	}
	if err := r.p.Thaw(); err != nil {
		t.Fatal(err)
	}
	for _, pid := range []int{r.p.Identity().PID, child} {
		eventually(t, "it goes on, and is stopped by nothing that came late", func() bool { return state(pid) == 'S' && !stopPending(pid) })
	}
	r.send("writer hello")
	if err := r.p.Freeze(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := r.p.KillTree(ctx); err != nil {
		t.Fatal(err)
	}
	r.wantExit(0, "SIGKILL")
}

// A process that another one has stopped is not continued, as long as the agent runs.
func TestThawLeavesOthersAlone(t *testing.T) {
	r := started(t, "agent")
	child := r.child()
	if err := unix.Kill(child, unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the child is stopped", func() bool { return state(child) == 'T' })
	if err := r.p.Thaw(); err != nil {
		t.Fatal(err)
	}
	if state(child) != 'T' {
		t.Error("it was woken")
	}
}
