package process

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"betcode/messages"
)

// run is a run directory under test, with its contents.
type run struct {
	t    testing.TB
	spec Spec
	p    *Process
	read int // bytes of stdout that answer has returned
}

var runs atomic.Int64

// prepared returns a run whose agent is the fake in role, not started yet.
func prepared(t *testing.T, role string) *run {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	if err := Prepare(dir); err != nil {
		t.Fatal(err)
	}
	r := &run{t: t, spec: Spec{
		Directory: dir,
		Program:   self(t),
		Argv:      []string{"fake-claude", "-p", "a \"quoted\" word", ""},
		Dir:       t.TempDir(),
		Env:       append(os.Environ(), roleVariable+"="+role, "GORACE=atexit_sleep_ms=0"),
		Token:     "token-of-run-" + strings.Repeat("0", 10) + time.Now().Format("150405.000000") + "-" + string(rune('a'+runs.Add(1)%26)),
	}}
	t.Cleanup(r.clean)
	return r
}

// clean ends all processes of the run, whatever the test did.
func (r *run) clean() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	record := r.record()
	if r.p != nil {
		record.Process, record.Launcher = r.p.Identity(), r.p.Launcher()
	}
	if err := KillLeftovers(ctx, record); err != nil {
		r.t.Error(err)
	}
	if r.p != nil {
		r.p.Wait(ctx) // reaps the launcher
		r.p.Close()
		if e, ok := look(record.Launcher.PID); ok && e.parent == os.Getpid() && e.start == record.Launcher.StartTime {
			r.t.Errorf("launcher %d was not reaped", record.Launcher.PID)
		}
	}
}

func (r *run) record() messages.RunRecord {
	return messages.RunRecord{Format: Format, Directory: r.spec.Directory, Token: r.spec.Token}
}

// started returns a run whose agent is up.
func started(t *testing.T, role string) *run {
	t.Helper()
	r := prepared(t, role)
	r.spawn()
	if got := r.answer(); got != "ready" {
		t.Fatalf("the answer of the agent is %q", got)
	}
	return r
}

func (r *run) spawn() {
	r.t.Helper()
	p, err := Spawn(r.t.Context(), r.spec)
	if err != nil {
		r.t.Fatal(err)
	}
	r.p = p
}

// adopt closes the process and adopts it again.
func (r *run) adopt(record messages.RunRecord) Fate {
	r.t.Helper()
	if r.p != nil {
		r.p.Close()
	}
	p, fate, err := Adopt(r.t.Context(), record)
	if err != nil {
		r.t.Fatal(err)
	}
	if (p != nil) != (fate.Outcome == Running) {
		r.t.Fatalf("process %v, fate %v", p, fate)
	}
	if p != nil {
		r.p = p
	}
	return fate
}

// send writes a line that must fit, when it can.
func (r *run) send(line string) {
	r.t.Helper()
	for {
		switch result := r.p.WriteLine([]byte(line + "\n")); result {
		case Written:
			return
		case Busy:
			if err := r.p.WaitWritable(r.t.Context()); err != nil {
				r.t.Fatal(err)
			}
		default:
			r.t.Fatalf("%.20q: %v", line, result)
		}
	}
}

// answer returns the next line of the agent.
func (r *run) answer() string {
	r.t.Helper()
	path := filepath.Join(r.spec.Directory, StdoutFile)
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		all, err := os.ReadFile(path)
		if err != nil {
			r.t.Fatal(err)
		}
		if i := bytes.IndexByte(all[r.read:], '\n'); i >= 0 {
			line := string(all[r.read : r.read+i])
			r.read += i + 1
			return line
		}
	}
	r.t.Fatal("no answer of the agent")
	return ""
}

func (r *run) wait() messages.Exit {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), time.Minute)
	defer cancel()
	exit, err := r.p.Wait(ctx)
	if err != nil {
		r.t.Fatal(err)
	}
	return exit
}

func (r *run) wantExit(code int, signal string) {
	r.t.Helper()
	exit := r.wait()
	if !exit.Known || exit.Code != code || exit.Signal != signal || time.Since(exit.At).Abs() > time.Minute {
		r.t.Fatalf("exit %+v, want code %d, signal %q", exit, code, signal)
	}
}

// killLauncher kills the launcher and waits until it has ended.
func (r *run) killLauncher() {
	r.t.Helper()
	launcher := r.p.Launcher()
	if err := unix.Kill(launcher.PID, unix.SIGKILL); err != nil {
		r.t.Fatal(err)
	}
	eventually(r.t, "the launcher is gone", func() bool { return !lives(launcher) })
}

func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

func wantKind(t testing.TB, err error, kind messages.Kind) {
	t.Helper()
	if err == nil || messages.KindOf(err) != kind {
		t.Fatalf("error %v, want kind %v", err, kind)
	}
}
