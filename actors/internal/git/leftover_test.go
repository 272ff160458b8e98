//go:build unix

package git

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"betcode/messages"
)

// interrupted prepares what a creation leaves that was killed at a step, and returns the record of it.
func (f *fixture) interrupted(step string) Leftover {
	f.Helper()
	l := Leftover{
		Common: f.repo.Common, Path: filepath.Join(filepath.Dir(f.main), "other"), Branch: "other", Commit: f.head(), Created: true, Began: time.Now(),
	}
	admin := filepath.Join(l.Common, "worktrees/other")
	steps := []func(){
		func() {}, // intent
		func() { f.must(os.Mkdir(l.Path, 0o700)) },
		func() { l.Made = Identity(l.Path) },
		func() { f.write(filepath.Join(l.Common, "refs/heads/other.lock"), "") },
		func() {
			f.must(os.Remove(filepath.Join(l.Common, "refs/heads/other.lock")))
			f.run(f.main, "update-ref", "-m", created, "refs/heads/other", "HEAD")
		},
		func() { f.write(filepath.Join(admin, "locked"), "initializing") },
		func() {
			f.must(os.RemoveAll(filepath.Join(l.Common, "worktrees")))
			f.run(f.main, "worktree", "add", "-q", "--no-checkout", l.Path, "other")
			f.write(filepath.Join(admin, "locked"), "initializing")
		},
		func() {
			f.write(filepath.Join(l.Path, "README"), "read")
			f.write(filepath.Join(admin, "index.lock"), "half")
		},
		func() {
			f.must(os.Remove(filepath.Join(admin, "index.lock")))
			f.run(l.Path, "reset", "-q", "--hard")
		},
		func() { f.must(os.Remove(filepath.Join(admin, "locked"))) },
	}
	for n, name := range interruptions {
		steps[n]()
		if name == step {
			return l
		}
	}
	f.Fatalf("no step %s", step)
	return l
}

var interruptions = []string{"intent", "directory", "identity", "ref lock", "branch", "admin", "no files", "some files", "all files", "finished"}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// state lists everything in the repository and beside it, but objects and logs.
func (f *fixture) state() string {
	f.Helper()
	var all []string
	f.must(filepath.Walk(filepath.Dir(f.main), func(path string, info os.FileInfo, err error) error {
		if err == nil && !strings.Contains(path, "/.git/objects") && !strings.Contains(path, "/.git/logs") && filepath.Base(path) != "lock" {
			all = append(all, fmt.Sprint(path, info.IsDir()))
		}
		return err
	}))
	return strings.Join(all, "\n")
}

func TestUndo(t *testing.T) {
	for _, step := range interruptions {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			before := f.state()
			l := f.interrupted(step)
			if got := f.git.Finished(t.Context(), l); got != (step == "finished") {
				t.Errorf("finished: %v", got)
			}
			if err := f.git.Undo(t.Context(), f.lock(), l); err != nil {
				t.Error(err)
			}
			if after := f.state(); after != before {
				t.Errorf("left over, or lost:\n%s\nbefore:\n%s", after, before)
			}
			if out := f.run(f.main, "worktree", "list"); strings.Contains(out, "\n") {
				t.Error(out)
			}
			if err := f.git.Undo(t.Context(), f.lock2(), l); err != nil {
				t.Errorf("again: %v", err)
			}
		})
	}
}

// lock2 is a lock of its own file.
func (f *fixture) lock2() *Lock {
	lock, err := TakeLock(f.Context(), filepath.Join(f.home, "lock"))
	f.must(err)
	f.Cleanup(lock.Release)
	return lock
}

// Files that the daemon has not made are kept.
func TestUndoKeeps(t *testing.T) {
	t.Run("files of a person", func(t *testing.T) {
		f := newFixture(t)
		l := f.interrupted("all files")
		f.write(filepath.Join(l.Path, "a/mine"), "x")
		if err := f.git.Undo(t.Context(), f.lock(), l); err == nil {
			t.Error("no error")
		}
		if !there(filepath.Join(l.Path, "a/mine")) || there(filepath.Join(l.Path, "README")) {
			t.Error("the file is gone, or others stayed")
		}
	})
	t.Run("a directory of others", func(t *testing.T) {
		f := newFixture(t)
		l := f.interrupted("intent")
		f.write(filepath.Join(l.Path, "README"), "mine")
		f.must(f.git.Undo(t.Context(), f.lock(), l))
		if !there(filepath.Join(l.Path, "README")) {
			t.Error("it is gone")
		}
	})
	t.Run("a worktree of others in the same place", func(t *testing.T) {
		f := newFixture(t)
		l := f.interrupted("branch")
		f.must(os.Remove(l.Path))
		f.must(os.Mkdir(filepath.Dir(l.Path)+"/takes the inode", 0o700))
		f.run(f.main, "worktree", "add", "-q", l.Path, "other")
		f.must(f.git.Undo(t.Context(), f.lock(), l))
		if !there(filepath.Join(l.Path, "README")) || !strings.Contains(f.run(f.main, "worktree", "list"), "other") {
			t.Error("it is gone")
		}
	})
	t.Run("a branch that somebody uses", func(t *testing.T) {
		f := newFixture(t)
		l := f.interrupted("branch")
		f.run(f.main, "commit", "-q", "--allow-empty", "-m", "second")
		f.run(f.main, "branch", "-f", "other", "main")
		f.must(f.git.Undo(t.Context(), f.lock(), l))
		if _, there, err := f.git.Branch(t.Context(), l.Common, "other"); !there || err != nil {
			t.Errorf("it is gone: %v", err)
		}
	})
	t.Run("a branch of others", func(t *testing.T) {
		f := newFixture(t)
		l := f.interrupted("identity")
		f.run(f.main, "branch", "other")
		f.must(f.git.Undo(t.Context(), f.lock(), l))
		if _, there, err := f.git.Branch(t.Context(), l.Common, "other"); !there || err != nil {
			t.Errorf("it is gone: %v", err)
		}
	})
	t.Run("a link to elsewhere", func(t *testing.T) {
		f := newFixture(t)
		l := f.interrupted("no files")
		f.write(filepath.Join(f.home, "a/file.txt"), "precious")
		f.must(os.Symlink(filepath.Join(f.home, "a"), filepath.Join(l.Path, "a")))
		_ = f.git.Undo(t.Context(), f.lock(), l) // the link stays: it is not of the commit
		if !there(filepath.Join(f.home, "a/file.txt")) {
			t.Error("a file behind the link is gone")
		}
	})
}

// A git that outlives the daemon keeps the lock.
func TestLockOutlivesItsTaker(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	lock, err := TakeLock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	lock.Inherit(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lock.Release()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := TakeLock(ctx, path); messages.KindOf(err) != messages.Unavailable {
		t.Errorf("the lock is free: %v", err)
	}
	in.Close()
	next, err := TakeLock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	next.Release()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// When the context ends, git and all its descendants are killed.
func TestCanceledGitEnds(t *testing.T) {
	f := newFixture(t)
	pids := filepath.Join(f.home, "pids")
	fake := filepath.Join(f.home, "git")
	f.write(fake, "#!/bin/sh\n[ \"$1\" = version ] && { echo git version 2.40.0; exit; }\ntrap '' TERM\nsleep 600 &\necho $$ $! >"+pids+".new\nmv "+pids+".new "+pids+"\nwait\nwait\n")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for !there(pids) && t.Context().Err() == nil {
			time.Sleep(5 * time.Millisecond)
		}
		cancel()
	}()
	_, err := New(fake, []string{"PATH=" + os.Getenv("PATH")}).Trees(ctx, f.repo.Common)
	if messages.KindOf(err) != messages.Canceled {
		t.Error(err)
	}
	text, err := os.ReadFile(pids)
	if err != nil {
		t.Fatal(err)
	}
	var shell, child int
	if _, err := fmt.Sscan(string(text), &shell, &child); err != nil {
		t.Fatal(err)
	}
	for _, pid := range []int{shell, child} {
		deadline := time.Now().Add(10 * time.Second)
		for syscall.Kill(pid, 0) == nil && !zombie(pid) {
			if time.Now().After(deadline) {
				t.Fatalf("%d lives", pid)
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
}

func zombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(stat), ") Z ")
}
