//go:build unix

package statedir

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"syscall"
)

// ProcessEnded reports whether a process has ended. A zombie has ended.
func ProcessEnded(pid int) bool {
	if err := syscall.Kill(pid, 0); err != nil {
		return errors.Is(err, syscall.ESRCH)
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false // no /proc here
	}
	_, state, ok := bytes.Cut(stat, []byte(") "))
	return ok && bytes.HasPrefix(state, []byte("Z"))
}

// AskToEnd sends a process SIGTERM.
func AskToEnd(pid int) error { return syscall.Kill(pid, syscall.SIGTERM) }
