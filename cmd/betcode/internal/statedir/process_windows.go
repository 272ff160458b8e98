package statedir

import (
	"errors"

	"golang.org/x/sys/windows"
)

// ProcessEnded reports whether a process has ended. A process that this user may not open counts as running.
func ProcessEnded(pid int) bool {
	process, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return err == windows.ERROR_INVALID_PARAMETER //nolint:errorlint // the errno as the system returns it
	}
	defer windows.CloseHandle(process) //nolint:errcheck // nothing was written
	state, err := windows.WaitForSingleObject(process, 0)
	return err == nil && state == windows.WAIT_OBJECT_0
}

// AskToEnd is not possible on Windows: console events do not reach a daemon in the background.
func AskToEnd(int) error {
	return errors.New("Windows cannot ask a process to end; end it in the task manager")
}
