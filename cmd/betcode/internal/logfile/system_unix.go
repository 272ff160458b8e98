//go:build unix

package logfile

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// lock locks the file at path, so that no other process rotates it. It returns nil if
// another process has the lock, or if another file is at path.
func lock(path string, file os.FileInfo) (unlock func(), err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			err = nil
		}
		return nil, err
	}
	unlock = func() {
		_ = unix.Flock(int(f.Fd()), unix.LOCK_UN) // a child that is being started may have the descriptor as well
		f.Close()
	}
	if now, err := os.Stat(path); err == nil && os.SameFile(now, file) {
		return unlock, nil
	}
	unlock()
	return nil, nil
}
