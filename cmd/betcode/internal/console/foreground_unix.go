//go:build unix

package console

import (
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// InForeground reports whether this process may read the terminal f. In the background of a shell
// ("betcode run … &") another process group owns it. A terminal that does not control this process
// has no other owner.
func InForeground(f *os.File) bool {
	owner, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	return err != nil || owner == unix.Getpgrp()
}

// IgnoreTerminalStops keeps a process in the background from being stopped when it
// writes to a terminal set to tostop, or loses the foreground while it reads.
func IgnoreTerminalStops() { signal.Ignore(unix.SIGTTIN, unix.SIGTTOU) }
