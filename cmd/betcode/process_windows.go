package main

import (
	"errors"

	"golang.org/x/sys/windows"
)

// processEnded reports whether there is no such process any more. Of one that may not be
// asked it is not said.
func processEnded(pid int) bool {
	process, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return err == windows.ERROR_INVALID_PARAMETER //nolint:errorlint // what the system says of an unknown pid, as it is
	}
	defer windows.CloseHandle(process) //nolint:errcheck // nothing was written
	state, err := windows.WaitForSingleObject(process, 0)
	return err == nil && state == windows.WAIT_OBJECT_0
}

// askToEnd is not to be had here: what a console is sent reaches a daemon in the
// background not.
func askToEnd(int) error {
	return errors.New("this system cannot ask it; end it in the task manager")
}
