//go:build unix

package trust

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

var errForeign = errors.New("belongs to another user")

// owned returns an error unless a file belongs to this user or to root.
func owned(info fs.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if ok && (int(stat.Uid) == os.Geteuid() || stat.Uid == 0) {
		return nil
	}
	return errForeign
}

func openNonblocking(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
}

func notDirectory(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
