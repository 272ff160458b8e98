package process

import (
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func descriptors(t testing.TB) int {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// zombies counts the dead launchers that were not reaped.
func zombies(t testing.TB) int {
	t.Helper()
	count := 0
	names, _ := filepath.Glob("/proc/[0-9]*")
	for _, name := range names {
		pid, _ := strconv.Atoi(filepath.Base(name))
		if e, ok := look(pid); ok && e.parent == os.Getpid() && e.state == 'Z' {
			comm, _ := os.ReadFile(proc(pid, "comm"))
			if strings.HasPrefix(string(comm), "betcode-launch") && stays(pid, e) {
				count++
				argv, _ := os.ReadFile(proc(pid, "cmdline"))
				t.Logf("zombie %d %q %+v", pid, argv, e)
			}
		}
	}
	return count
}

// stays gives a launcher of a test that runs in parallel time to be reaped.
func stays(pid int, e entry) bool {
	for range 1000 {
		if now, ok := look(pid); !ok || now != e {
			return false
		}
		time.Sleep(time.Millisecond)
	}
	return true
}

func status(t testing.TB, pid int, name string) string {
	t.Helper()
	all, err := os.ReadFile(proc(pid, "status"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(all)) {
		if field, value, _ := strings.Cut(line, ":"); field == name {
			return strings.TrimSpace(value)
		}
	}
	t.Fatalf("no %s in the status of %d", name, pid)
	return ""
}

// The agent gets three descriptors, default signals and a session of its own,
// even from a daemon that inherited other ones.
func TestAgentInheritsNothing(t *testing.T) {
	signal.Ignore(syscall.SIGHUP, syscall.SIGTSTP)
	defer signal.Reset(syscall.SIGHUP, syscall.SIGTSTP)
	leak, err := unix.Open("/dev/zero", unix.O_RDONLY, 0) // no O_CLOEXEC
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(leak)

	r := prepared(t, "agent")
	r.spec.Program, r.spec.Argv = "/bin/sleep", []string{"sleep", "1000"}
	r.spawn()
	agent, launcher := r.p.Identity().PID, r.p.Launcher().PID
	eventually(t, "the agent has three descriptors", func() bool { // its loader opens and closes some more
		fds, _ := os.ReadDir(proc(agent, "fd"))
		return len(fds) == 3
	})
	for i, want := range []string{"stdin", "stdout", "stderr"} {
		if got, _ := os.Readlink(proc(agent, "fd/"+strconv.Itoa(i))); filepath.Base(got) != want {
			t.Errorf("descriptor %d of the agent is %s", i, got)
		}
	}
	for _, name := range []string{"SigIgn", "SigBlk", "SigCgt"} {
		if got := status(t, agent, name); strings.Trim(got, "0") != "" {
			t.Errorf("%s of the agent is %s", name, got)
		}
	}
	if got := status(t, agent, "NSsid"); got != strconv.Itoa(agent) {
		t.Errorf("the agent is in session %s", got)
	}
	if got := status(t, launcher, "NSsid"); got != strconv.Itoa(launcher) {
		t.Errorf("the launcher is in session %s", got)
	}
	eventually(t, "the launcher has nothing but /dev/null three times, the lock and the exit record", func() bool {
		open := map[string]int{}
		fds, _ := os.ReadDir(proc(launcher, "fd"))
		for _, fd := range fds {
			path, _ := os.Readlink(proc(launcher, "fd/"+fd.Name()))
			open[filepath.Base(path)]++
		}
		return len(fds) == 5 && open["null"] == 3 && open["lock"] == 1 && open["exit.json.tmp"] == 1
	})
}

func TestTree(t *testing.T) {
	r := started(t, "agent")
	pids := map[string]bool{strconv.Itoa(r.p.Identity().PID): true}
	for _, command := range []string{
		"sleep 1000",                           // an ordinary child
		"sleep 1000 & wait",                    // a grandchild
		"env -i /bin/sh -c 'sleep 1000'; true", // without the token
	} {
		r.send("child " + command)
		pids[r.answer()] = true
	}
	// Orphaned, in a session of its own, without the token: the launcher adopts it.
	r.send("child (env -i setsid sleep 1000 &)")
	r.answer()
	eventually(t, "all of them are there", func() bool { return len(r.p.Tree()) >= len(pids)+2 })
	for _, id := range r.p.Tree() {
		delete(pids, strconv.Itoa(id.PID))
		if id.PID == r.p.Launcher().PID || id.PID == os.Getpid() {
			t.Errorf("%d is no part of the tree", id.PID)
		}
	}
	if len(pids) > 0 {
		t.Errorf("not in the tree: %v", pids)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := r.p.KillTree(ctx); err != nil {
		t.Fatal(err)
	}
	if left := r.p.Tree(); len(left) > 0 {
		t.Errorf("%d are left", len(left))
	}
	r.wantExit(0, "SIGKILL")
}

// Processes that the agent left behind are found by the token when agent and launcher
// have ended.
func TestKillLeftovers(t *testing.T) {
	r := started(t, "agent")
	r.send("child sleep 1000")
	child, _ := strconv.Atoi(r.answer())
	record := r.record()
	record.Process, record.Launcher = r.p.Identity(), r.p.Launcher()
	r.p.Signal(unix.SIGKILL)
	r.wantExit(0, "SIGKILL")
	if !alive(child) {
		t.Fatal("the child died with the agent")
	}
	if err := KillLeftovers(t.Context(), record); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the child is gone", func() bool { return !alive(child) })
}

func TestNetworkFilesystem(t *testing.T) {
	if name := networkFilesystem(t.TempDir()); name != "" {
		t.Errorf("the temporary directory is on %s", name)
	}
	if name := remote[unix.NFS_SUPER_MAGIC]; name != "NFS" {
		t.Errorf("NFS is called %q", name)
	}
}

// Without pidfds the process table is polled.
func TestPolling(t *testing.T) {
	r := started(t, "agent")
	h := polled{r.p.Identity()}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := h.wait(ctx); err == nil {
		t.Fatal("it has ended")
	}
	if err := h.signal(unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := h.wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := h.signal(unix.SIGKILL); err == nil {
		t.Fatal("a dead process was signalled")
	}
	r.wantExit(0, "SIGKILL")
}

func BenchmarkSpawn(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		dir := filepath.Join(b.TempDir(), "run")
		if err := Prepare(dir); err != nil {
			b.Fatal(err)
		}
		spec := Spec{
			Directory: dir, Program: "/bin/sleep", Argv: []string{"sleep", "1000"}, Dir: "/", Env: os.Environ(),
			Token: "benchmark-" + strconv.Itoa(b.N) + "-" + time.Now().Format(time.RFC3339Nano),
		}
		b.StartTimer()
		p, err := Spawn(b.Context(), spec)
		b.StopTimer()
		if err != nil {
			b.Fatal(err)
		}
		p.Signal(unix.SIGKILL)
		p.Wait(b.Context())
		p.Close()
		b.StartTimer()
	}
}
