package launch

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// needsFence skips a test where the kernel has no fences.
func needsFence(t *testing.T, version int) {
	t.Helper()
	if v := FenceVersion(); v < version {
		t.Skipf("the kernel's Landlock interface has version %d, the test needs %d", v, version)
	}
}

// fenced runs a shell script within a fence around a directory, and returns what it wrote
// to the file out there.
func fenced(t *testing.T, script string, writable ...string) (inside, out string) {
	t.Helper()
	inside, run := t.TempDir(), t.TempDir()
	script = "cd " + inside + " && { " + script + "; } >out 2>&1; mv out done"
	p := Params{
		Run: run, Dir: "/", Program: "/bin/sh", Argv: []string{"sh", "-c", script}, Env: []string{"PATH=" + os.Getenv("PATH")},
		Fence: append([]string{inside, "/dev/null"}, writable...),
	}
	if s := becomeParams(t, p, self, markNew); s.Agent.PID == 0 {
		t.Fatalf("started %+v", s)
	}
	var told []byte
	eventually(t, "the script has ended", func() (ended bool) {
		var err error
		told, err = os.ReadFile(filepath.Join(inside, "done"))
		return err == nil
	})
	return inside, string(told)
}

func TestFence(t *testing.T) {
	needsFence(t, FenceWrites)
	outside, also := t.TempDir(), t.TempDir()
	file, fifo := filepath.Join(outside, "file"), filepath.Join(outside, "fifo")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	// Each line is a command and whether it may succeed.
	tries := []struct {
		command string
		may     bool
	}{
		{"echo x >inside", true},
		{"mkdir -p a/b && mv inside a/b", true},
		{"cat " + file, true},
		{"echo x >/dev/null", true},
		{"sh -c 'echo x' | cat >piped", true},
		{"echo x >" + also + "/x", true},
		{"echo x >" + file, false},
		{"echo x >>" + file, false},
		{"echo x >" + outside + "/new", false},
		{"mkdir " + outside + "/d", false},
		{"rm " + file, false},
		{"mv a " + outside + "/a", false},
		{"ln -s " + outside + " link && echo x >link/new", false},
		{"ln " + file + " hard", false},
		{"setsid sh -c 'echo x >" + outside + "/new'", false},
		{": 1<>" + fifo, false},
		{"truncate -s 0 " + file, false},
	}
	var script strings.Builder
	for i, try := range tries {
		script.WriteString("if (" + try.command + ") >/dev/null 2>&1; then echo " + strconv.Itoa(i) + "; fi; ")
	}
	_, told := fenced(t, script.String()+"true", also)
	did := map[string]bool{}
	for _, n := range strings.Fields(told) {
		did[n] = true
	}
	for i, try := range tries {
		if did[strconv.Itoa(i)] != try.may {
			t.Errorf("%s: succeeded %v", try.command, !try.may)
		}
	}
}

func TestFenceHoldsSignals(t *testing.T) {
	needsFence(t, FenceSignals)
	_, told := fenced(t, "kill -0 "+strconv.Itoa(os.Getpid())+" && echo outside; sleep 1000 & kill $! && echo own; true")
	if strings.Contains(told, "outside") || !strings.Contains(told, "own") {
		t.Errorf("%s", told)
	}
}

// Who is within the fence may not look into the launcher, nor into the daemon.
func TestFenceHoldsTracing(t *testing.T) {
	needsFence(t, FenceWrites)
	_, told := fenced(t, "(echo x >/proc/$PPID/mem) 2>/dev/null && echo mem; (: <>/proc/$PPID/fd/3) 2>/dev/null && echo fd; true")
	if told != "" {
		t.Errorf("%s", told)
	}
}

// A fence that cannot be built keeps the agent from being started at all.
func TestFenceThatCannotBe(t *testing.T) {
	needsFence(t, FenceWrites)
	p := Params{Run: t.TempDir(), Dir: "/", Program: "/bin/true", Argv: []string{"true"}, Fence: []string{strings.Repeat("x", 5000)}}
	if s := becomeParams(t, p, self, markNew); s.Agent.PID != 0 || s.Stage != StageFence || s.Errno != syscall.ENAMETOOLONG {
		t.Errorf("started %+v", s)
	}
}

func TestLauncherIsNotDumpable(t *testing.T) {
	s := become(t, self, t.TempDir(), markNew, "/bin/sleep", "1000")
	owner := func(pid int) uint32 {
		var info syscall.Stat_t
		if err := syscall.Stat("/proc/"+strconv.Itoa(pid)+"/environ", &info); err != nil {
			t.Fatal(err)
		}
		return info.Uid
	}
	if os.Geteuid() == 0 {
		t.Skip("as root the owner of the files in /proc does not tell")
	}
	if owner(s.Launcher.PID) != 0 || owner(s.Agent.PID) == 0 {
		t.Errorf("owner of the launcher %d, of the agent %d", owner(s.Launcher.PID), owner(s.Agent.PID))
	}
}
