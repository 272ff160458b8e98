package main

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"

	"betcode/messages"
)

// detach gives the child no console, so that closing ours does not reach it and none
// flashes up.
func detach(child *exec.Cmd) error {
	child.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NO_WINDOW | windows.CREATE_NEW_PROCESS_GROUP}
	return nil
}

// canHandOver refuses: what a helper reports through is handed to it by number, which
// there is not here.
func canHandOver() error {
	return messages.Errorf("restart daemon", messages.Unimplemented, "a daemon is not handed over on Windows").
		WithHint("say 'betcode daemon stop', then 'betcode daemon start'")
}

// inherited says that nothing was.
func inherited(int) (*os.File, error) { return nil, canHandOver() }
