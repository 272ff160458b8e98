package launch

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// ended waits for the exit record.
func ended(t *testing.T, run string) (e Ended) {
	t.Helper()
	eventually(t, "an exit record", func() bool {
		words, err := os.ReadFile(filepath.Join(run, EndedFile))
		return err == nil && json.Unmarshal(words, &e) == nil
	})
	return e
}

func hasEnded(run string) bool {
	_, err := os.Stat(filepath.Join(run, EndedFile))
	return err == nil
}

// hold locks a file as a daemon does.
func hold(t *testing.T, path string) (release func()) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	return func() { f.Close() }
}

func TestLeaseEndsAnIdleAgent(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(file string){
		"no file":       func(string) {},
		"nobody has it": func(file string) { hold(t, file)() },
	} {
		run := t.TempDir()
		lease := Lease{File: filepath.Join(run, "lease"), Every: 20, Misses: 5}
		prepare(lease.File)
		began := time.Now()
		becomeWith(t, lease, self, run, markNew, "/bin/sleep", "1000")
		if e := ended(t, run); e.Reason != LeaseEnded || e.Signal != int(syscall.SIGTERM) || time.Since(began) < 100*time.Millisecond {
			t.Errorf("%s: %+v after %s", name, e, time.Since(began))
		}
	}
}

func TestLeaseKillsWhoDoesNotListen(t *testing.T) {
	t.Parallel()
	run := t.TempDir()
	lease := Lease{File: filepath.Join(run, "lease"), Every: 100, Misses: 3}
	began := time.Now()
	becomeWith(t, lease, self, run, markNew, "/bin/sh", "-c", "trap '' TERM; while :; do sleep 1; done")
	if e := ended(t, run); e.Reason != LeaseEnded || e.Signal != int(syscall.SIGKILL) || time.Since(began) < grace*time.Millisecond {
		t.Errorf("%+v after %s", e, time.Since(began))
	}
}

func TestLeaseHeld(t *testing.T) {
	t.Parallel()
	run := t.TempDir()
	lease := Lease{File: filepath.Join(run, "lease"), Every: 20, Misses: 3}
	release := hold(t, lease.File)
	becomeWith(t, lease, self, run, markNew, "/bin/sleep", "1000")
	time.Sleep(30 * 20 * time.Millisecond)
	if hasEnded(run) {
		t.Error("ended in spite of a daemon")
	}
	release()
	if e := ended(t, run); e.Reason != LeaseEnded {
		t.Errorf("%+v", e)
	}
}

// An agent that writes output is not idle.
func TestLeaseOfATalker(t *testing.T) {
	t.Parallel()
	run := t.TempDir()
	lease := Lease{File: filepath.Join(run, "lease"), Every: 100, Misses: 8}
	becomeWith(t, lease, self, run, markNew, "/bin/sh", "-c", "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do echo word; sleep 0.1; done; exec sleep 1000")
	e := ended(t, run)
	spool, err := os.Stat(filepath.Join(run, StdoutFile))
	if err != nil {
		t.Fatal(err)
	}
	// Also on a busy machine: it had been silent for the permitted time.
	if silent := time.UnixMilli(e.At).Sub(spool.ModTime()); e.Reason != LeaseEnded || silent < 7*100*time.Millisecond {
		t.Errorf("%+v after %s without output", e, silent)
	}
}

// However rarely the launcher looks at the lease, it reaps orphans, and sees the
// end of the agent, at once.
func TestReapsBetweenLooks(t *testing.T) {
	t.Parallel()
	run := t.TempDir()
	lease := Lease{File: filepath.Join(run, "lease"), Every: 3_600_000, Misses: 96}
	gate := filepath.Join(run, "gate")
	orphan := fmt.Sprintf("setsid sh -c 'while [ ! -e %s ]; do sleep 0.1; done'", gate)
	orphans := fmt.Sprintf("(for i in 1 2 3 4 5 6 7 8 9 10; do %s & done) & wait; exec sleep 1000", orphan)
	s := becomeWith(t, lease, self, run, markNew, "/bin/sh", "-c", orphans)
	children := func() []string {
		raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", s.Launcher.PID))
		return strings.Fields(string(raw))
	}
	eventually(t, "orphans", func() bool { return len(children()) > 5 })
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, "only the agent is left", func() bool {
		left := children()
		return len(left) == 1 && left[0] == fmt.Sprint(s.Agent.PID)
	})
	stat, _ := os.ReadFile(path(s.Launcher.PID))
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 13 || len(fields[11]) > 2 || len(fields[12]) > 2 { // utime, stime, in hundredths of a second
		t.Errorf("it does not sleep: %s", stat)
	}
	if err := syscall.Kill(s.Agent.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if e := ended(t, run); e.Reason != "" || e.Signal != int(syscall.SIGKILL) { // the next check would be in an hour
		t.Errorf("%+v", e)
	}
}
