//go:build unix && !linux

package logfile

import (
	"os"

	"golang.org/x/sys/unix"
)

// redirect replaces the file behind a standard output of this process and of the runtime.
func redirect(standard, to *os.File) error {
	return unix.Dup2(int(to.Fd()), int(standard.Fd()))
}
