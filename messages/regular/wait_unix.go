//go:build unix

package regular

import "syscall"

// Flags for opening files.
const (
	NoWait = syscall.O_NONBLOCK | syscall.O_NOCTTY // a pipe does not wait for its other end, a terminal does not become that of the process
	NoLink = syscall.O_NOFOLLOW                    // a symbolic link is an error
)
