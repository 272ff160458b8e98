package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"betcode/actors/internal/launch"
)

func TestLauncherKilled(t *testing.T) {
	r := started(t, "agent")
	r.killLauncher()
	r.send("writer alive")
	if got := r.answer(); got != "alive" {
		t.Fatalf("the answer of the agent is %q", got)
	}
	if fate := r.adopt(r.record()); fate.Outcome != Running {
		t.Fatalf("fate %+v", fate)
	}
	r.send("exit 3")
	if exit := r.wait(); exit.Known || exit.Reason == "" || exit.At.IsZero() {
		t.Fatalf("exit %+v", exit)
	}
	if fate := r.adopt(r.record()); fate.Outcome != Ended || fate.Exit.Known {
		t.Fatalf("fate %+v", fate)
	}
}

func TestLauncherIgnoresSignals(t *testing.T) {
	r := started(t, "agent")
	launcher := r.p.Launcher().PID
	for _, sig := range []unix.Signal{unix.SIGTERM, unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGPIPE} {
		unix.Kill(launcher, sig)
	}
	eventually(t, "the launcher has taken the signals", func() bool { return !pending(t, launcher) })
	r.send("exit 4")
	r.wantExit(4, "")
}

// pending reports whether signals to a process wait to be taken, one that ends it among them. It fails the test if the process is
// gone.
func pending(t *testing.T, pid int) bool {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil || strings.Contains(string(status), "State:\tZ") {
		t.Fatalf("the process is gone: %v", err)
	}
	return !strings.Contains(string(status), "SigPnd:\t0000000000000000\nShdPnd:\t0000000000000000\n")
}

// A daemon was killed while its launcher was slow to write its record. The next daemon finds the agent by a search and does not know
// the launcher, which records the exit all the same.
func TestExitIsRecordedByAnUnknownLauncher(t *testing.T) {
	r := started(t, "agent")
	launcher := r.p.Launcher()
	if err := os.Remove(filepath.Join(r.spec.Directory, launch.StartedFile)); err != nil {
		t.Fatal(err)
	}
	if fate := r.adopt(r.record()); fate.Outcome != Running || r.p.Launcher().PID != 0 {
		t.Fatalf("fate %+v, launcher %+v", fate, r.p.Launcher())
	}
	if err := unix.Kill(launcher.PID, unix.SIGSTOP); err != nil { // it is slow
		t.Fatal(err)
	}
	r.send("exit 7")
	<-r.p.Gone()
	if err := unix.Kill(launcher.PID, unix.SIGCONT); err != nil {
		t.Fatal(err)
	}
	r.wantExit(7, "")
	reapLauncher(launcher)
}

// Looks as if it was killed before it wrote launcher.json.
func TestLauncherKilledBeforeItsRecord(t *testing.T) {
	r := started(t, "agent")
	want := r.p.Identity()
	r.send("child exec sleep 1000 <" + filepath.Join(r.spec.Directory, launch.StdinFile)) // a younger reader of the FIFO
	child, _ := strconv.Atoi(r.answer())
	r.killLauncher()
	path := filepath.Join(r.spec.Directory, launch.StartedFile)
	for name, harm := range map[string]func(){
		"no record":    func() { os.Remove(path) },
		"empty record": func() { os.WriteFile(path, nil, 0o600) },
		"half record":  func() { os.WriteFile(path, []byte(`{"format":1,"boot`), 0o600) },
	} {
		harm()
		if fate := r.adopt(r.record()); fate.Outcome != Running || r.p.Identity() != want {
			t.Fatalf("%s: fate %+v", name, fate)
		}
	}
	os.Remove(path)
	record := r.record()
	record.Process = want // the journal knows
	if fate := r.adopt(record); fate.Outcome != Running || r.p.Identity() != want {
		t.Fatalf("fate %+v", fate)
	}
	r.send("exit 0")
	if exit := r.wait(); exit.Known {
		t.Fatalf("exit %+v", exit)
	}
	if fate := r.adopt(record); fate.Outcome != Ended || fate.Exit.Known {
		t.Fatalf("fate %+v", fate)
	}
	unix.Kill(child, unix.SIGKILL)
	eventually(t, "the child is gone", func() bool { return !alive(child) })
	// There is no record, but the agent has written output.
	if fate := r.adopt(r.record()); fate.Outcome != Ended || fate.Exit.Known {
		t.Fatalf("fate %+v", fate)
	}
}
