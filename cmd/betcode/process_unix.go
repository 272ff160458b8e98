//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"syscall"
)

// processEnded reports whether there is no such process any more. One that has
// ended and that its parent has not asked about yet counts as gone.
func processEnded(pid int) bool {
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

// askToEnd has a process end in order.
func askToEnd(pid int) error { return syscall.Kill(pid, syscall.SIGTERM) }
