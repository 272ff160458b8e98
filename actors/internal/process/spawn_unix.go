//go:build unix

package process

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"betcode/actors/internal/launch"
	"betcode/messages"
)

// patience is how long a launcher may take to report the start.
const patience = 20 * time.Second

const opSpawn = "start agent"

// Spawn starts the agent of spec in its prepared run directory.
//
// If the error has a [*StartError] in its chain no agent runs. After any other
// error (ctx ended, the launcher did not answer) one may run: call [Adopt].
func Spawn(ctx context.Context, spec Spec) (*Process, error) {
	if err := spec.check(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, contextError(opSpawn, ctx)
	}
	streams, err := spec.open()
	if err != nil {
		return nil, err
	}
	pid, report, err := spec.launch(streams)
	for _, f := range streams {
		f.Close() // the launcher has its own descriptors
	}
	if err != nil {
		return nil, err
	}
	defer report.Close()
	words, err := listen(ctx, report)
	if err != nil {
		return nil, err
	}
	var s launch.Started
	if err := decode(words, &s); err != nil {
		reapLauncher(messages.ProcessIdentity{PID: pid, StartTime: launch.StartTime(pid)})
		return nil, messages.Errorf(opSpawn, messages.Unavailable, "the launcher (pid %d) ended without a report", pid)
	}
	launcher := identity(s.Launcher, s.BootID)
	if s.Agent.PID == 0 {
		reapLauncher(launcher)
		return nil, startError(spec, s)
	}
	agent := identity(s.Agent, s.BootID)
	h, err := open(agent, spec.Token)
	if errors.Is(err, errNotOurs) {
		// The agent has ended already. Everything works with a handle of an ended process.
		h, err = ended{}, nil
	}
	if err != nil {
		return nil, &messages.Error{Op: opSpawn, Kind: messages.Exhausted, Err: err}
	}
	return follow(spec.Directory, spec.Token, agent, launcher, h)
}

func (s Spec) check() error {
	bad := func(format string, args ...any) error {
		return messages.Errorf(opSpawn, messages.Invalid, format, args...)
	}
	for _, path := range []string{s.Directory, s.Program, s.Dir} {
		if !filepath.IsAbs(path) {
			return bad("%q is not absolute", path)
		}
	}
	switch {
	case len(s.Argv) == 0:
		return bad("no arguments")
	case len(s.Token) < 16 || strings.ContainsAny(s.Token, "\x00="):
		return bad("the token is too short, or not one word")
	}
	for _, word := range slices.Concat(s.Argv, s.Env, []string{s.Directory, s.Program, s.Dir, s.Lease.File}) {
		if strings.ContainsRune(word, 0) {
			return bad("a zero byte in an argument or in the environment")
		}
	}
	return nil
}

// environment returns the agent's environment: each name once, with its last value, and the token.
func (s Spec) environment() []string {
	last := map[string]int{}
	for i, e := range s.Env {
		name, _, _ := strings.Cut(e, "=")
		last[name] = i
	}
	env := make([]string, 0, len(s.Env)+1)
	for i, e := range s.Env {
		if name, _, ok := strings.Cut(e, "="); ok && name != "" && name != launch.TokenVariable && last[name] == i {
			env = append(env, e)
		}
	}
	return append(env, launch.TokenVariable+"="+s.Token)
}

// open opens the launcher's descriptors 0 to 3, and takes the lock. It does not use
// package os, which would make the FIFO non-blocking for the agent.
func (s Spec) open() (streams []*os.File, err error) {
	defer func() {
		if err != nil {
			for _, f := range streams {
				f.Close()
			}
		}
	}()
	for _, file := range []struct {
		name string
		mode int
	}{
		{launch.StdinFile, unix.O_RDWR},
		{launch.StdoutFile, unix.O_WRONLY | unix.O_APPEND},
		{launch.StderrFile, unix.O_WRONLY | unix.O_APPEND},
		{launch.LockFile, unix.O_RDWR},
	} {
		path := filepath.Join(s.Directory, file.name)
		fd, err := unix.Open(path, file.mode|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
		if err != nil {
			return streams, fileError(opSpawn, &os.PathError{Op: "open", Path: path, Err: err})
		}
		streams = append(streams, os.NewFile(uintptr(fd), path))
	}
	if err := unix.Flock(int(streams[launch.LockFD].Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return streams, messages.Errorf(opSpawn, messages.AlreadyExists, "%s has a launcher already", s.Directory)
	}
	if _, err := os.Stat(filepath.Join(s.Directory, launch.StartedFile)); err == nil {
		return streams, messages.Errorf(opSpawn, messages.AlreadyExists, "%s was used by an earlier run", s.Directory)
	}
	return streams, nil
}

// launch starts the launcher and returns the pipe on which it will report.
func (s Spec) launch(streams []*os.File) (pid int, report *os.File, err error) {
	report, writer, err := os.Pipe()
	if err != nil {
		return 0, nil, fileError(opSpawn, err)
	}
	defer writer.Close()
	self, err := executable()
	if err != nil {
		report.Close()
		return 0, nil, fileError(opSpawn, err)
	}
	s.Env = s.environment()
	argv, env := launch.Params{
		Run: s.Directory, Dir: s.Dir, Program: s.Program, Argv: s.Argv, Env: s.Env, Lease: s.Lease,
		Cgroup: makeCgroup(s.Directory, s.Cgroup, s.MemoryMax), Fence: s.Fence,
	}.Command()
	child, err := os.StartProcess(self, argv, &os.ProcAttr{
		Dir:   "/",
		Env:   env,
		Files: append(slices.Clip(streams), writer),
		Sys:   &syscall.SysProcAttr{Setsid: true}, // so that a terminal's ^C does not reach it
	})
	if err != nil {
		report.Close()
		e := fileError(opSpawn, &StartError{Stage: launch.StageExecute, Path: self, Err: err})
		if errors.Is(err, unix.E2BIG) {
			e.Kind, e.Hint = messages.Invalid, "The arguments and the environment together are too long."
		}
		return 0, nil, e
	}
	pid = child.Pid
	_ = child.Release() // reapLauncher reaps it, by identity
	return pid, report, nil
}

// listen reads the launcher's report until the launcher closes the pipe.
func listen(ctx context.Context, report *os.File) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = report.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	words, err := io.ReadAll(report)
	switch {
	case err == nil:
		return words, nil
	case ctx.Err() != nil:
		return nil, contextError(opSpawn, ctx)
	}
	return nil, fileError(opSpawn, err)
}

// reapLauncher reaps a launcher that has ended, or is about to.
func reapLauncher(launcher messages.ProcessIdentity) {
	h, err := newHandle(launcher)
	if err != nil {
		return
	}
	defer h.close()
	if launch.StartTime(launcher.PID) == launcher.StartTime { // otherwise the pid is another process's by now
		waitAndReap(context.Background(), h)
	}
}

// waitAndReap waits a bounded time for a process to end, and reaps it if it is a child of
// this process.
func waitAndReap(ctx context.Context, h handle) {
	ctx, cancel := context.WithTimeout(ctx, recordPatience)
	defer cancel()
	if h.wait(ctx) == nil {
		h.reap()
	}
}

// ended is the handle of a process that had ended before one could be opened.
type ended struct{}

func (ended) wait(context.Context) error { return nil }
func (ended) signal(unix.Signal) error   { return unix.ESRCH }
func (ended) reap()                      {}
func (ended) close()                     {}

// startError explains why the launcher could not start the agent.
func startError(spec Spec, s launch.Started) *messages.Error {
	cause := &StartError{Stage: s.Stage, Path: spec.Program, Err: s.Errno}
	hint := "Is Claude Code installed, and is this its path?"
	switch s.Stage {
	case launch.StageDirectory:
		cause.Path, hint = spec.Dir, "The working directory of the session is gone or not accessible."
	case launch.StageRecord:
		cause.Path, hint = spec.Directory, "The state directory takes no more files: is the disk full?"
	case launch.StageFence:
		cause.Path, hint = spec.Dir, "The kernel refused the fence around the agent; agent.fence = off starts it without."
	case launch.StageExecute:
		if errors.Is(s.Errno, unix.E2BIG) {
			hint = "The arguments and the environment together are too long."
		}
	}
	return fileError(opSpawn, cause).WithHint(hint)
}
