package logfile

import (
	"os"

	"golang.org/x/sys/unix"
)

// redirect makes an output of this process, and of the runtime, another file.
func redirect(standard, to *os.File) error {
	return unix.Dup3(int(to.Fd()), int(standard.Fd()), 0)
}
