//go:build unix

package launch

import (
	"os"
	"os/exec"
	"syscall"
)

// detach gives the child a session of its own.
func detach(child *exec.Cmd) error {
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return nil
}

// canHandOver allows a restart.
func canHandOver() error { return nil }

// inherited returns a pipe that this process was started with. Children of this process do not inherit it.
func inherited(fd int) (*os.File, error) {
	var stat syscall.Stat_t
	if err := syscall.Fstat(fd, &stat); err != nil {
		return nil, err
	}
	if stat.Mode&syscall.S_IFMT != syscall.S_IFIFO {
		return nil, syscall.EINVAL
	}
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), "hand-over"), nil
}
