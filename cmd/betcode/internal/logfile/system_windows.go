package logfile

import (
	"errors"
	"os"
)

// lock fails: Windows does not rename a file that a process has open, so no log is rotated.
func lock(string, os.FileInfo) (unlock func(), err error) {
	return nil, errors.ErrUnsupported
}

func redirect(standard, to *os.File) error { return errors.ErrUnsupported }
