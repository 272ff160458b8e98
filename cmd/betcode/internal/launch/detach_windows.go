package launch

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"

	"betcode/messages"
)

// detach gives the child no console: closing ours does not reach it, and no window appears.
func detach(child *exec.Cmd) error {
	child.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NO_WINDOW | windows.CREATE_NEW_PROCESS_GROUP}
	return nil
}

// canHandOver refuses a restart: a helper gets its pipe by descriptor number, which Windows does not have.
func canHandOver() error {
	return messages.Errorf("restart daemon", messages.Unimplemented, "a daemon cannot be replaced on Windows").
		WithHint("run 'betcode daemon stop', then 'betcode daemon start'")
}

// inherited refuses, as [canHandOver] does.
func inherited(int) (*os.File, error) { return nil, canHandOver() }
