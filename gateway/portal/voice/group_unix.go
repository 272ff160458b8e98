//go:build unix

package voice

import (
	"errors"
	"os/exec"
	"syscall"
)

// together puts the program into its own process group.
func together(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// endGroup kills processes that the program has left.
func endGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // usually none is left

// brokenPipe reports whether the program reads no more audio, which is allowed.
func brokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
