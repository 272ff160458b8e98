//go:build !linux

package worktree

import "os/exec"

// diesWithDaemon does nothing on this system: the next daemon waits for the lock that the command has inherited.
func diesWithDaemon(*exec.Cmd) {}
