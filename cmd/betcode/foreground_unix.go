//go:build unix

package main

import (
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// inForeground reports whether this process may read the terminal f. In the background
// of a shell ("betcode run … &") another process group owns it. For a terminal that
// does not control this process nobody else does.
func inForeground(f *os.File) bool {
	owner, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	return err != nil || owner == unix.Getpgrp()
}

// ignoreTerminalStops keeps a process in the background from being stopped when it
// writes to a terminal set to tostop, or loses the foreground while it reads.
func ignoreTerminalStops() { signal.Ignore(unix.SIGTTIN, unix.SIGTTOU) }
