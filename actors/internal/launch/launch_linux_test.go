package launch

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

func status(t *testing.T, pid int, name string) string {
	t.Helper()
	all, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
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

// A launcher takes at most 3 MB of memory of its own, whatever the program
// links, and however long it waits.
func TestMemory(t *testing.T) {
	const limit = 3 << 10 // in kB
	program := filepath.Join(t.TempDir(), "betcode")
	build := exec.Command("go", "build", "-o", program, "betcode/cmd/betcode")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	fence := []string{t.TempDir(), "/dev/null"}
	if FenceVersion() < FenceWrites {
		fence = nil
	}
	for mark, fence := range map[string][]string{markNew: nil, markHuge: nil, markSmall: fence} {
		lease := Lease{File: filepath.Join(t.TempDir(), "lease"), Every: 50, Misses: 1 << 20}
		p := Params{Run: t.TempDir(), Dir: "/", Program: "/bin/sleep", Argv: []string{"sleep", "1000"}, Lease: lease, Fence: fence}
		s := becomeParams(t, p, program, mark)
		time.Sleep(200 * time.Millisecond)
		used, err := strconv.Atoi(strings.TrimSuffix(status(t, s.Launcher.PID, "RssAnon"), " kB"))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("fence %d, RssAnon %d kB, %s threads", len(fence), used, status(t, s.Launcher.PID, "Threads"))
		if used > limit {
			t.Errorf("RssAnon is %d kB, more than %d", used, limit)
		}
	}
}

// The launcher initialises no package that it does not need.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{join .Imports \" \"}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Fields(string(out)); !slices.Equal(got, []string{"runtime", "syscall", "unsafe"}) {
		t.Errorf("imports %v", got)
	}
}

// self is this test binary, which can be a launcher like the real program.
const self = "/proc/self/exe"

// become has program be a launcher, with mark in its environment.
func become(t *testing.T, program, run, mark string, argv ...string) Started {
	t.Helper()
	return becomeWith(t, Lease{File: filepath.Join(run, "lease"), Every: 50, Misses: 1 << 20}, program, run, mark, argv...)
}

func becomeWith(t *testing.T, lease Lease, program, run, mark string, argv ...string) Started {
	t.Helper()
	return becomeParams(t, Params{Run: run, Dir: "/", Program: argv[0], Argv: argv, Env: []string{"A=b"}, Lease: lease}, program, mark)
}

func becomeParams(t *testing.T, p Params, program, mark string) Started {
	t.Helper()
	run := p.Run
	args, env := p.Command()
	env[0] = Marker + "=" + mark
	hear, say, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer hear.Close()
	out, err := os.Create(filepath.Join(run, StdoutFile))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd := exec.Command(program)
	cmd.Args, cmd.Env, cmd.Stdout = args, env, out
	cmd.ExtraFiles = []*os.File{out, say}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	say.Close()
	words, _ := io.ReadAll(hear)
	var s Started
	if err := json.Unmarshal(words, &s); err != nil {
		t.Fatalf("%v: %q", err, words)
	}
	t.Cleanup(func() {
		if s.Agent.PID > 0 {
			syscall.Kill(s.Agent.PID, syscall.SIGKILL)
		}
		cmd.Wait()
	})
	return s
}

func TestRecords(t *testing.T) {
	run := t.TempDir()
	s := become(t, self, run, markNew, "/bin/sh", "-c", "exit 3")
	if s.Format != Format || s.Stage != "" || s.Error != "" || s.BootID != BootID() || s.Agent.StartTime < s.Launcher.StartTime {
		t.Errorf("started %+v", s)
	}
	var e Ended
	eventually(t, "an exit record", func() bool {
		words, err := os.ReadFile(filepath.Join(run, EndedFile))
		return err == nil && json.Unmarshal(words, &e) == nil
	})
	if e.Format != Format || e.Code != 3 || e.Signal != 0 || time.Since(time.UnixMilli(e.At)).Abs() > time.Minute {
		t.Errorf("ended %+v", e)
	}
	var again Started
	words, err := os.ReadFile(filepath.Join(run, StartedFile))
	if err != nil || json.Unmarshal(words, &again) != nil || again != s {
		t.Errorf("%s: %s, %v", StartedFile, words, err)
	}
	if left, _ := filepath.Glob(filepath.Join(run, "*"+temporary)); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestFailureIsRecorded(t *testing.T) {
	run := t.TempDir()
	s := become(t, self, run, markNew, "/does/not/exist")
	if s.Agent.PID != 0 || s.Stage != StageExecute || s.Errno != syscall.ENOENT || s.Error != syscall.ENOENT.Error() {
		t.Errorf("started %+v", s)
	}
	if left, _ := filepath.Glob(filepath.Join(run, "exit*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	// Without room for the records nothing is started.
	run = t.TempDir()
	os.Mkdir(filepath.Join(run, EndedFile+temporary), 0o700)
	if s := become(t, self, run, markNew, "/bin/true"); s.Agent.PID != 0 || s.Stage != StageRecord || s.Errno != syscall.EISDIR {
		t.Errorf("started %+v", s)
	}
}

// Where pages are huge by default the launcher forbids them to itself, and not
// to the agent.
func TestHugePages(t *testing.T) {
	s := become(t, self, t.TempDir(), markHuge, "/bin/sleep", "1000")
	eventually(t, "the launcher has small pages", func() bool { return status(t, s.Launcher.PID, "THP_enabled") == "0" })
	if got := status(t, s.Agent.PID, "THP_enabled"); got != "1" {
		t.Errorf("THP_enabled of the agent is %s", got)
	}
	environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", s.Agent.PID))
	if string(environ) != "A=b\x00" {
		t.Errorf("the agent's environment is %q", environ)
	}
}

func TestCommand(t *testing.T) {
	p := Params{
		Run: "/r", Dir: "/d", Program: "/p", Argv: []string{"a", "", "c d"},
		Lease: Lease{"/l", 900000, 96}, Fence: []string{"/a", "/b c"},
		Env: []string{"A=1", "GOGC=50", "GOGCX=1", Marker + "=x", "EMPTY=", kept + "GOGC=2"},
	}
	argv, env := p.Command()
	if i := slices.Index(env, "GOGC=off"); i < 0 || slices.Contains(env, "GOGC=50") {
		t.Errorf("environment of the launcher: %q", env)
	}
	got, ok := parse(argv, env)
	p.Env[5] = "GOGC=2" // the one name an agent cannot have
	if !ok || !reflect.DeepEqual(got, p) {
		t.Errorf("got  %+v\nwant %+v", got, p)
	}
	for _, bad := range [][]string{nil, {Name}, argv[:9], append([]string{Name, "1"}, argv[2:]...), append([]string{"sh"}, argv[1:]...)} {
		if _, ok := parse(bad, env); ok {
			t.Errorf("%q was understood", bad)
		}
	}
}

func TestEncode(t *testing.T) {
	want := Started{
		Format: 1, BootID: `a"b\c` + "\n", Launcher: Process{1, 1<<64 - 1}, Agent: Process{2, 0},
		Stage: StageDirectory, Errno: syscall.EACCES, Error: "é",
	}
	var got Started
	if err := json.Unmarshal(want.encode(), &got); err != nil {
		t.Fatal(err)
	}
	if want.BootID, want.Error = "a?b?c?", "??"; got != want {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if n := len(want.encode()); n > room {
		t.Errorf("%d bytes", n)
	}
}

func TestStartTime(t *testing.T) {
	fields := strings.Repeat(" 1", 18)
	for stat, want := range map[string]uint64{
		"7 (sh) S" + fields + " 4711 9\n":         4711,
		"7 (a b) S 1 (x)) S" + fields + " 42 9\n": 42,
		"7 (sh) S" + fields + " 4711":             0, // cut off: not to be trusted
		"":                                        0,
		"7 (sh":                                   0,
		"7 (sh) S" + fields + " 18446744073709551615 ": 1<<64 - 1,
	} {
		if got := field22([]byte(stat)); got != want {
			t.Errorf("%q starts at %d, want %d", stat, got, want)
		}
	}
	if StartTime(os.Getpid()) == 0 || StartTime(1<<30) != 0 || BootID() == "" {
		t.Error("no start time of our own")
	}
}
