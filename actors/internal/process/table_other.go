//go:build unix && !linux

package process

import (
	"errors"
	"os"
	"syscall"

	"betcode/messages"
)

func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// carries always reports true: this system does not show the environment of processes.
func carries(int, string) bool { return true }

// tokenOf always returns nothing, as the environment cannot be read.
func tokenOf(int) (string, bool) { return "", false }

// search always finds nothing, as the environment cannot be read.
func search(string, string) (messages.ProcessIdentity, bool) {
	return messages.ProcessIdentity{}, false
}

func executable() (string, error) { return os.Executable() }
