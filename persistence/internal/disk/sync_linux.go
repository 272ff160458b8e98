package disk

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// SyncData forces the written bytes of a file onto the disk, and only the part of its
// metadata that is needed to read them.
func SyncData(f *os.File) error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); !errors.Is(err, unix.EINTR) { //nolint:gosec // a descriptor is small
			return err
		}
	}
}
