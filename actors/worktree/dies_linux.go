package worktree

import (
	"os/exec"
	"syscall"
)

// diesWithDaemon has the kernel kill a command when the thread that starts it ends, and so when the daemon ends. The caller locks
// its goroutine to the thread until the command has ended.
func diesWithDaemon(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL }
