//go:build unix

package regular

import "syscall"

// NoWait is a flag for opening files: a pipe is opened without waiting for its other end,
// a terminal does not become that of the process.
const NoWait = syscall.O_NONBLOCK | syscall.O_NOCTTY
