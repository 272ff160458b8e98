//go:build unix

package worktree

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"betcode/messages"
)

// setUpNow runs the setup that a change has begun, as the actor does, and returns the result.
func (f *fixture) setUpNow(id string) messages.WorktreeSetup {
	f.Helper()
	f.setUp(f.Context(), id)
	rec, err := f.registry.find("test", id)
	if err != nil {
		f.Fatal(err)
	}
	return rec.Setup
}

func (f *fixture) script(text string) {
	f.Helper()
	f.write("project/.betcode/worktree-setup.sh", text)
	f.run(f.main, "add", ".")
	f.run(f.main, "commit", "-q", "-m", "setup")
}

func TestSetup(t *testing.T) {
	f := newFixture(t)
	t.Setenv("ANTHROPIC_API_KEY", "secret")
	f.trusted = true
	f.setup.Commands = []string{"env | sort", "pwd >here; echo second", "echo third >&2"}
	v := f.create(f.new("fresh"))
	if v.Setup.Status != messages.SetupRunning {
		t.Fatalf("%+v", v)
	}
	if _, err := f.ask(messages.RemoveWorktree{Worktree: v.ID, Force: true, Common: f.common}); err == nil || err.Code != messages.WorktreeInUse {
		t.Errorf("removed while its setup runs: %v", err)
	}
	got := f.setUpNow(v.ID)
	if got.Status != messages.SetupReady || !strings.HasSuffix(got.Output, "second\nthird\n") || !f.exists("project-fresh/here") {
		t.Errorf("%+v", got)
	}
	names := map[string]bool{}
	for line := range strings.Lines(got.Output) {
		if name, _, ok := strings.Cut(line, "="); ok {
			names[name] = true
		}
	}
	for _, ours := range []string{"PATH", "HOME", "WORKTREE_PATH", "WORKTREE_BRANCH", setupMark} {
		if !names[ours] {
			t.Errorf("%s is missing", ours)
		}
		delete(names, ours)
	}
	delete(names, "PWD") // shells make these
	delete(names, "_")
	delete(names, "SHLVL")
	delete(names, "OLDPWD")
	if len(names) > 0 {
		t.Errorf("the setup knows %v", names)
	}
	f.restart()
	if again, _ := f.registry.find("test", v.ID); again.Setup != got {
		t.Errorf("after a restart: %+v", again.Setup)
	}
}

// A script of the repository takes precedence, is run by its own interpreter, and only if the user trusts it.
func TestSetupScript(t *testing.T) {
	f := newFixture(t)
	f.setup.Commands = []string{"touch commands"}
	f.script("#!/bin/sh\necho \"$WORKTREE_BRANCH in $(pwd)\"\ntouch script\nexit 3\n")
	v := f.create(f.new("fresh"))
	if v.Setup.Status != messages.SetupNotTrusted {
		t.Errorf("not trusted: %+v", v.Setup)
	}
	again := messages.SetupWorktree{Worktree: v.ID, Common: f.common}
	if _, err := f.ask(again); err == nil || err.Code != messages.NotTrusted || !strings.Contains(err.Hint, "betcode trust "+v.Path) {
		t.Errorf("not trusted: %v", err)
	}
	if got := f.setUpNow(v.ID); got.Status != messages.SetupNotTrusted || f.exists("project-fresh/script") {
		t.Errorf("it ran: %+v", got)
	}
	f.trusted = true
	if _, err := f.ask(again); err != nil {
		t.Fatal(err)
	}
	if _, err := f.ask(again); err == nil || err.Code != messages.WorktreeInUse {
		t.Errorf("twice: %v", err)
	}
	got := f.setUpNow(v.ID)
	if got.Status != messages.SetupFailed || !strings.HasPrefix(got.Output, "fresh in "+v.Path+"\n") || !strings.Contains(got.Output, "worktree-setup.sh: exit status 3") ||
		!f.exists("project-fresh/script") || f.exists("project-fresh/commands") {
		t.Errorf("%+v", got)
	}
	if _, err := f.ask(messages.SwitchWorktree{Worktree: v.ID, Common: f.common}); err != nil {
		t.Errorf("a failed setup makes the worktree useless: %v", err)
	}
	plain := newFixture(t)
	v = plain.create(plain.new("fresh"))
	if _, err := plain.ask(messages.SetupWorktree{Worktree: v.ID, Common: plain.common}); err == nil || err.Kind != messages.WrongState || v.Setup.Status != messages.SetupNone {
		t.Errorf("without a setup: %v, %+v", err, v.Setup)
	}
}

// A script that an agent writes between the request and its run does not run.
func TestSetupChangesMeanwhile(t *testing.T) {
	f := newFixture(t)
	f.trusted = true
	f.setup.Commands = []string{"touch ran"}
	v := f.create(f.new("fresh"))
	f.trusted = false
	if got := f.setUpNow(v.ID); got.Status != messages.SetupNotTrusted || f.exists("project-fresh/ran") {
		t.Errorf("%+v", got)
	}
}

// A setup that hangs is ended at the limit, with all its processes.
func TestSetupHangs(t *testing.T) {
	f := newFixture(t)
	f.trusted = true
	f.setup = Setup{Commands: []string{"sleep 600 & echo $! >pid; echo begun; wait"}, Limit: 3 * time.Second}
	v := f.create(f.new("fresh"))
	if got := f.setUpNow(v.ID); got.Status != messages.SetupTimeout || got.Output != "begun\n" {
		t.Errorf("%+v", got)
	}
	text, err := os.ReadFile(filepath.Join(v.Path, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	f.gone(pidIn(t, string(text)))
}

func pidIn(t *testing.T, text string) (pid int) {
	t.Helper()
	if _, err := fmt.Sscan(text, &pid); err != nil {
		t.Fatal(err)
	}
	return pid
}

// gone waits until a process has ended.
func (f *fixture) gone(pid int) {
	f.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for syscall.Kill(pid, 0) == nil {
		if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil && strings.Contains(string(stat), ") Z ") {
			break // its end was not waited for yet
		}
		if time.Now().After(deadline) {
			f.Fatal("what it started lives")
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// A daemon that was killed during a setup leaves it failed, and the next can run it again.
func TestDeathInSetup(t *testing.T) {
	f := newFixture(t)
	f.trusted = true
	f.setup.Commands = []string{"echo done"}
	v := f.create(f.new("fresh"))
	f.restart()
	if rec, _ := f.registry.find("test", v.ID); rec.Setup.Status != messages.SetupFailed || rec.State != messages.WorktreeReady {
		t.Fatalf("%+v", rec)
	}
	if _, err := f.ask(messages.SetupWorktree{Worktree: v.ID, Common: f.common}); err != nil {
		t.Fatal(err)
	}
	if got := f.setUpNow(v.ID); got.Status != messages.SetupReady || got.Output != "done\n" {
		t.Errorf("%+v", got)
	}
}

// A script that is replaced after the check of the trusted files does not run.
func TestSetupExchanged(t *testing.T) {
	f := newFixture(t)
	f.trusted = true
	f.script("touch trusted\n")
	v := f.create(f.new("fresh"))
	f.exchange = func() { f.write("project-fresh/.betcode/worktree-setup.sh", "touch exchanged\n") }
	if got := f.setUpNow(v.ID); got.Status != messages.SetupNotTrusted || f.exists("project-fresh/exchanged") || f.exists("project-fresh/trusted") {
		t.Errorf("%+v", got)
	}
	f.exchange = nil
	f.setup.Commands = []string{"touch commands"}
	if _, err := f.ask(messages.SetupWorktree{Worktree: v.ID, Common: f.common}); err != nil {
		t.Fatal(err)
	}
	f.exchange = func() { os.Remove(filepath.Join(v.Path, setupScript)) }
	if got := f.setUpNow(v.ID); got.Status != messages.SetupNotTrusted || f.exists("project-fresh/commands") {
		t.Errorf("the commands ran instead of a script that was removed: %+v", got)
	}
}

// A copy is run: a script that replaces itself ends as it was when it was trusted.
func TestSetupReplacesItself(t *testing.T) {
	f := newFixture(t)
	f.trusted = true
	f.script("#!/bin/sh -e\nprintf '#!/bin/sh\\n%0100000d\\ntouch exchanged\\n' 0 >.betcode/worktree-setup.sh\n" + strings.Repeat("# padding\n", 20000) + "touch last\n")
	v := f.create(f.new("fresh"))
	if got := f.setUpNow(v.ID); got.Status != messages.SetupReady || !f.exists("project-fresh/last") || f.exists("project-fresh/exchanged") {
		t.Errorf("%+v", got)
	}
	if left, _ := filepath.Glob(filepath.Join(f.dir, "state", "*"+unnamed)); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}

func TestInterpreter(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "/bin/sh",
		"echo\n":                         "/bin/sh",
		"#!/bin/bash\necho":              "/bin/bash",
		"#! /usr/bin/env  python3 -u \n": "/usr/bin/env|python3 -u",
		"#!\t/bin/sh\t-e\r\n":            "/bin/sh|-e",
		"#!bash\n":                       "/bin/sh",
		"#!\n":                           "/bin/sh",
		"#!" + strings.Repeat("x", 1000): "/bin/sh",
	} {
		if got := strings.Join(interpreter([]byte(text)), "|"); got != want {
			t.Errorf("%.40q: %q", text, got)
		}
	}
}

func TestTail(t *testing.T) {
	out := &tail{limit: 5}
	for _, text := range []string{"abc", "defg", "", "h\xff", "0123456789", "z"} {
		if n, err := out.Write([]byte(text)); n != len(text) || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
	if string(out.kept) != "6789z" || out.written != 20 {
		t.Errorf("%q of %d", out.kept, out.written)
	}
}
