package spool

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Punches reports that the space of archived bytes is freed while the writer
// lives. Without it, the space is freed when the spool is finished.
const Punches = true

// punch frees the space of a file up to an offset. A filesystem that cannot do
// that keeps it.
func punch(path string, to int64) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if to == 0 {
		return nil
	}
	err = unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, 0, to)
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
		return nil
	}
	return err
}
