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

// carries cannot look into the environment of others on this system.
func carries(int, string) bool { return true }

// tokenOf cannot either.
func tokenOf(int) (string, bool) { return "", false }

// search cannot either.
func search(string, string) (messages.ProcessIdentity, bool) {
	return messages.ProcessIdentity{}, false
}

func executable() (string, error) { return os.Executable() }
