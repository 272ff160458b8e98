//go:build unix

package disk

import (
	"os"

	"golang.org/x/sys/unix"
)

// Map maps the first bytes of a file for reading, while other processes may have it open. unmap
// ends that. Reading behind the end of the file faults.
func Map(f *os.File, size int64) (data []byte, unmap func(), err error) {
	data, err = unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, err
	}
	return data, func() { _ = unix.Munmap(data) }, nil
}
