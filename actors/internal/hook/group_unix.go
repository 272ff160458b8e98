//go:build unix

package hook

import (
	"os/exec"
	"syscall"
)

// together puts the program into a process group of its own, which is ended as a whole.
func together(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
