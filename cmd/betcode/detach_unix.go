//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// detach gives the child a session of its own.
func detach(child *exec.Cmd) error {
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return nil
}
