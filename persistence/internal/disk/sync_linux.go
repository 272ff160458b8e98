package disk

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// SyncData forces what was written to a file onto the disk, and of what the
// system knows about the file only what is needed to read it.
func SyncData(f *os.File) error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); !errors.Is(err, unix.EINTR) { //nolint:gosec // a descriptor is small
			return err
		}
	}
}
