//go:build unix

package regular

import "syscall"

// Flags for opening files.
const (
	NoWait = syscall.O_NONBLOCK | syscall.O_NOCTTY // opening a pipe does not wait for its other end, and a terminal does not become the controlling one
	NoLink = syscall.O_NOFOLLOW                    // a symbolic link is an error
)
