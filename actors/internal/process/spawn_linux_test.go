package process

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"betcode/actors/internal/launch"
	"betcode/messages"
)

func TestExitIsRecorded(t *testing.T) {
	for _, c := range []struct {
		order  string
		code   int
		signal string
	}{
		{"exit 0", 0, ""},
		{"exit 143", 143, ""},
		{"kill 9", 0, "SIGKILL"},
		{"kill 15", 0, "SIGTERM"},
	} {
		t.Run(c.order, func(t *testing.T) {
			t.Parallel()
			r := started(t, "agent")
			r.send(c.order)
			r.wantExit(c.code, c.signal)
			select {
			case <-r.p.Gone():
			default:
				t.Error("Gone is open")
			}
			if result := r.p.WriteLine([]byte("late\n")); result != Gone {
				t.Errorf("a late line is %v", result)
			}
			wantKind(t, r.p.Signal(unix.SIGTERM), messages.NotFound)
			// And once more, as the next daemon would.
			if fate := r.adopt(r.record()); fate.Outcome != Ended || fate.Exit.Code != c.code || fate.Exit.Signal != c.signal || !fate.Exit.Known {
				t.Errorf("fate %+v", fate)
			}
		})
	}
}

func TestAgentGetsWhatWasAsked(t *testing.T) {
	r := prepared(t, "agent")
	r.spec.Env = append(r.spec.Env, "TWICE=first", "TWICE=last", "GOMAXPROCS=7", "GODEBUG=madvdontneed=1", "QUOTES=a\"b\\c",
		launch.TokenVariable+"=another")
	r.spawn()
	r.answer()
	for name, want := range map[string]string{
		"TWICE": "last", "GOMAXPROCS": "7", "GODEBUG": "madvdontneed=1", "GOGC": os.Getenv("GOGC"), "QUOTES": "a\"b\\c",
		launch.TokenVariable: r.spec.Token, launch.Marker: "",
	} {
		r.send("env " + name)
		if got := r.answer(); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	info, err := os.Stat(r.spec.Directory)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("directory %v, %v", info.Mode(), err)
	}
	r.send("exit 0")
	r.wantExit(0, "")
}

func TestAgentCannotBeStarted(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "no-interpreter")
	os.WriteFile(script, []byte("#!/does/not/exist\n"), 0o700)
	plain := filepath.Join(dir, "not-executable")
	os.WriteFile(plain, []byte("text"), 0o600)
	for name, c := range map[string]struct {
		change func(*Spec)
		stage  launch.Stage
		errno  error
		kind   messages.Kind
	}{
		"claude missing":    {func(s *Spec) { s.Program = "/does/not/exist" }, launch.StageExecute, unix.ENOENT, messages.NotFound},
		"not executable":    {func(s *Spec) { s.Program = plain }, launch.StageExecute, unix.EACCES, messages.Denied},
		"interpreter gone":  {func(s *Spec) { s.Program = script }, launch.StageExecute, unix.ENOENT, messages.NotFound},
		"directory gone":    {func(s *Spec) { s.Dir = "/does/not/exist" }, launch.StageDirectory, unix.ENOENT, messages.NotFound},
		"directory no more": {func(s *Spec) { s.Dir = plain }, launch.StageDirectory, unix.ENOTDIR, messages.Unavailable},
		"environment":       {func(s *Spec) { s.Env = append(s.Env, "BIG="+strings.Repeat("x", 1<<18)) }, launch.StageExecute, unix.E2BIG, messages.Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := prepared(t, "agent")
			c.change(&r.spec)
			p, err := Spawn(t.Context(), r.spec)
			if p != nil || err == nil {
				t.Fatal("it was started")
			}
			wantKind(t, err, c.kind)
			var cause *StartError
			if !errors.As(err, &cause) || cause.Stage != c.stage || !errors.Is(err, c.errno) {
				t.Fatalf("error %v", err)
			}
			var e *messages.Error
			if errors.As(err, &e); e.Hint == "" {
				t.Error("no hint")
			}
			// Adopting returns the same, or, if not even the launcher could be started,
			// NeverStarted.
			fate := r.adopt(r.record())
			if fate.Outcome != NeverStarted || fate.Exit.Known || !strings.HasPrefix(fate.Exit.Reason, "never started") {
				t.Fatalf("fate %+v", fate)
			}
			if zombies := zombies(t); zombies != 0 {
				t.Fatalf("%d zombies", zombies)
			}
		})
	}
}

func TestSpawnRefuses(t *testing.T) {
	r := prepared(t, "agent")
	for name, change := range map[string]func(*Spec){
		"relative program":   func(s *Spec) { s.Program = "claude" },
		"relative directory": func(s *Spec) { s.Dir = "." },
		"no arguments":       func(s *Spec) { s.Argv = nil },
		"no token":           func(s *Spec) { s.Token = "" },
		"zero byte":          func(s *Spec) { s.Env = append(s.Env, "A=\x00") },
	} {
		spec := r.spec
		change(&spec)
		if _, err := Spawn(t.Context(), spec); messages.KindOf(err) != messages.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	spec := r.spec
	spec.Directory += "2"
	_, err := Spawn(t.Context(), spec)
	wantKind(t, err, messages.NotFound)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Spawn(ctx, r.spec)
	wantKind(t, err, messages.Canceled)

	r.spawn()
	_, err = Spawn(t.Context(), r.spec)
	wantKind(t, err, messages.AlreadyExists)
	r.send("exit 0")
	r.wantExit(0, "")
	_, err = Spawn(t.Context(), r.spec)
	wantKind(t, err, messages.AlreadyExists)
}

func TestPrepareRefuses(t *testing.T) {
	wantKind(t, Prepare("relative"), messages.Invalid)
	dir := filepath.Join(t.TempDir(), "a", "b")
	if err := Prepare(dir); err != nil {
		t.Fatal(err)
	}
	wantKind(t, Prepare(dir), messages.AlreadyExists)
	wantKind(t, Prepare(filepath.Join(dir, launch.LockFile, "c")), messages.Unavailable)
}

// An agent may end before Spawn has opened it.
func TestShortLife(t *testing.T) {
	for range 20 {
		r := prepared(t, "agent")
		r.spec.Program, r.spec.Argv = "/bin/sh", []string{"sh", "-c", "exit 7"}
		r.spawn()
		r.wantExit(7, "")
		r.p.Close()
	}
	if zombies := zombies(t); zombies != 0 {
		t.Errorf("%d zombies", zombies)
	}
}

func TestWaitEndsWithItsContext(t *testing.T) {
	r := started(t, "agent")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err := r.p.Wait(ctx)
	wantKind(t, err, messages.DeadlineExceeded)
	waiting := make(chan error)
	p := r.p
	go func() { _, err := p.Wait(t.Context()); waiting <- err }()
	if fate := r.adopt(r.record()); fate.Outcome != Running { // closes p
		t.Fatal(fate)
	}
	wantKind(t, <-waiting, messages.Canceled)
	if result := p.WriteLine([]byte("writer no\n")); result != Gone {
		t.Errorf("a line through a closed process is %v", result)
	}
	r.send("exit 3")
	r.wantExit(3, "")
}

func TestFiftyAtOnce(t *testing.T) {
	before := descriptors(t)
	var all sync.WaitGroup
	runs := make([]*run, 50)
	for i := range runs {
		runs[i] = prepared(t, "agent")
	}
	begin := time.Now()
	for _, r := range runs {
		all.Go(func() {
			p, err := Spawn(t.Context(), r.spec)
			if err != nil {
				t.Error(err)
				return
			}
			r.p = p
		})
	}
	all.Wait()
	t.Logf("50 agents spawned in %v", time.Since(begin))
	if t.Failed() {
		return
	}
	for i, r := range runs {
		all.Go(func() {
			if got := r.answer(); got != "ready" {
				t.Errorf("said %q", got)
			}
			if result := r.p.WriteLine([]byte("exit " + string(rune('0'+i%10)) + "\n")); result != Written {
				t.Error(result)
			}
			exit, err := r.p.Wait(t.Context())
			if err != nil || !exit.Known || exit.Code != i%10 {
				t.Errorf("exit %+v, %v", exit, err)
			}
			r.p.Close()
		})
	}
	all.Wait()
	if zombies := zombies(t); zombies != 0 {
		t.Errorf("%d zombies", zombies)
	}
	if after := descriptors(t); after > before {
		t.Errorf("%d descriptors, %d before", after, before)
	}
}

// A launcher ends an agent that has no daemon; the exit has the reason.
func TestLease(t *testing.T) {
	r := prepared(t, "agent")
	r.spec.Lease = Lease{File: filepath.Join(t.TempDir(), "lease"), Every: 20, Misses: 5}
	r.spawn()
	if exit := r.wait(); !exit.Known || exit.Signal != "SIGTERM" || exit.Reason != LeaseEnded {
		t.Errorf("exit %+v", exit)
	}
	if day := time.Duration(LeaseOn("f").Every*LeaseOn("f").Misses) * time.Millisecond; day != 24*time.Hour {
		t.Errorf("a lease lasts %s", day)
	}
}
