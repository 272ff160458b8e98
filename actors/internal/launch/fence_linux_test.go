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
	var output []byte
	eventually(t, "the script has ended", func() (ended bool) {
		var err error
		output, err = os.ReadFile(filepath.Join(inside, "done"))
		return err == nil
	})
	return inside, string(output)
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
		{"ulimit -t 1000 && ulimit -n 100", true},
	}
	var script strings.Builder
	for i, try := range tries {
		script.WriteString("if (" + try.command + ") >/dev/null 2>&1; then echo " + strconv.Itoa(i) + "; fi; ")
	}
	_, output := fenced(t, script.String()+"true", also)
	did := map[string]bool{}
	for _, n := range strings.Fields(output) {
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
	_, output := fenced(t, "kill -0 "+strconv.Itoa(os.Getpid())+" && echo outside; sleep 1000 & kill $! && echo own; true")
	if strings.Contains(output, "outside") || !strings.Contains(output, "own") {
		t.Errorf("%s", output)
	}
}

// A fenced process can read neither the launcher nor the daemon.
func TestFenceHoldsTracing(t *testing.T) {
	needsFence(t, FenceWrites)
	_, output := fenced(t, "(echo x >/proc/$PPID/mem) 2>/dev/null && echo mem; (: <>/proc/$PPID/fd/3) 2>/dev/null && echo fd; true")
	if output != "" {
		t.Errorf("%s", output)
	}
}

// An agent whose fence cannot be made is not started.
func TestFenceThatCannotBe(t *testing.T) {
	needsFence(t, FenceWrites)
	p := Params{Run: t.TempDir(), Dir: "/", Program: "/bin/true", Argv: []string{"true"}, Fence: []string{strings.Repeat("x", 5000)}}
	if s := becomeParams(t, p, self, markNew); s.Agent.PID != 0 || s.Stage != StageFence || s.Errno != syscall.ENAMETOOLONG {
		t.Errorf("started %+v", s)
	}
}

// A link in the place of the agent's directory, or of another that it may write to, put
// there after the daemon's check, is not followed.
func TestFencedDirectoryBecomesALink(t *testing.T) {
	needsFence(t, FenceWrites)
	above := t.TempDir()
	link := filepath.Join(above, "link")
	if err := os.Symlink("/", link); err != nil {
		t.Fatal(err)
	}
	p := Params{Run: t.TempDir(), Dir: link, Program: "/bin/true", Argv: []string{"true"}, Fence: []string{above}}
	if s := becomeParams(t, p, self, markNew); s.Agent.PID != 0 || s.Stage != StageDirectory || s.Errno != syscall.ELOOP {
		t.Errorf("started %+v", s)
	}
	p.Run, p.Dir, p.Fence = t.TempDir(), above, []string{above, link}
	if s := becomeParams(t, p, self, markNew); s.Agent.PID != 0 || s.Stage != StageFence || s.Errno != syscall.ELOOP {
		t.Errorf("with a fence around the link: %+v", s)
	}
	p.Run, p.Dir, p.Fence = t.TempDir(), link, nil
	if s := becomeParams(t, p, self, markNew); s.Agent.PID == 0 {
		t.Errorf("without a fence: %+v", s)
	}
}

// The filter of system calls has a verdict for every call, on every architecture: each
// jump ends within it.
func TestLimitFilter(t *testing.T) {
	for arch, calls := range limitCalls {
		filter := limitFilter(calls)
		for _, c := range calls {
			for _, test := range []struct {
				name              string
				number, limit, id uint32
				high              uint32
				refused           bool
			}{
				{"another's limits", c[1], 1, 7, 0, true},
				{"another's limits, at an address above 4 GB", c[1], 0, 7, 1, true},
				{"its own limits", c[1], 1, 0, 0, false},
				{"another's limits, which it only reads", c[1], 0, 7, 0, false},
				{"another call", c[1] + 1, 1, 7, 0, false},
			} {
				data := map[uint32]uint32{callNumber: test.number, callArch: c[0], callPID: test.id, callLimits: test.limit, callLimits + 4: test.high}
				if got := judge(filter, data) != resultAllow; got != test.refused {
					t.Errorf("%s: %s (%#x): refused %v", arch, test.name, c, got)
				}
			}
		}
		if judge(filter, map[uint32]uint32{callArch: 1, callNumber: calls[0][1], callPID: 7, callLimits: 1}) != resultAllow {
			t.Errorf("%s: a call of an architecture that is not listed is refused", arch)
		}
	}
}

// judge runs a filter as the kernel does.
func judge(filter []instruction, data map[uint32]uint32) uint32 {
	var value uint32
	for at := 0; ; at++ {
		switch in := filter[at]; {
		case in.code == load:
			value = data[in.k]
		case in.code == result:
			return in.k
		case value == in.k:
			at += int(in.yes)
		default:
			at += int(in.not)
		}
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
