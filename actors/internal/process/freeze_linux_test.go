package process

import (
	"context"
	"slices"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// state returns what the kernel says that a process does.
func state(pid int) byte {
	e, ok := look(pid)
	if !ok {
		return 0
	}
	return e.state
}

// Freezing reaches what runs in a session of its own, and nobody else; a thaw
// wakes all of it; a frozen agent can be killed.
func TestFreezeAndThaw(t *testing.T) {
	r, other := started(t, "agent"), started(t, "agent")
	r.tell("child sleep 1000")
	child, _ := strconv.Atoi(r.said())
	for range 2 { // the second time there is nothing left to do
		if err := r.p.Freeze(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for _, pid := range []int{r.p.Identity().PID, child} { // one that waits for the disk stops behind that
		eventually(t, "it is stopped", func() bool { return state(pid) == 'T' })
	}
	for name, pid := range map[string]int{"its launcher": r.p.Launcher().PID, "another agent": other.p.Identity().PID} {
		if state(pid) == 'T' {
			t.Errorf("%s was stopped too", name)
		}
	}
	if err := r.p.Thaw(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "both go on", func() bool {
		return !slices.Contains([]byte{state(child), state(r.p.Identity().PID)}, 'T')
	})
	r.tell("say hello")
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

// What somebody else has stopped is not ours to wake, as long as the agent runs.
func TestThawLeavesOthersAlone(t *testing.T) {
	r := started(t, "agent")
	r.tell("child sleep 1000")
	child, _ := strconv.Atoi(r.said())
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
