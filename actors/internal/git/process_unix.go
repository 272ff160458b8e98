//go:build unix

package git

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"

	"betcode/messages"
)

// OwnGroup gives a command a process group, which gets SIGTERM when the context ends.
func OwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}

// EndGroup kills the remaining processes of a command's group.
func EndGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // best effort; usually none is left
	}
}

// Lock is the lock of a repository. The daemon and each git that it starts hold it during a change. The kernel releases it when the
// last of them has ended.
type Lock struct{ file *os.File }

const lockPoll = 20 * time.Millisecond

// TakeLock opens the file, which it creates, and waits for its lock until ctx ends.
func TakeLock(ctx context.Context, path string) (*Lock, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return &Lock{file}, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			file.Close()
			return nil, err
		}
		select {
		case <-time.After(lockPoll):
		case <-ctx.Done():
			file.Close()
			return nil, messages.Errorf("lock the repository", messages.Unavailable, "another git command of the daemon still runs").
				WithHint("Try again when it has ended.")
		}
	}
}

// Release releases this process's share of the lock.
func (l *Lock) Release() { l.file.Close() }

// Inherit gives a command a share of the lock. A nil lock has none.
func (l *Lock) Inherit(cmd *exec.Cmd) {
	if l != nil {
		cmd.ExtraFiles = append(cmd.ExtraFiles, l.file)
	}
}
