package exit

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
)

// remedy returns a hint for an error of the file system without one; empty if there is no general
// hint.
func remedy(err error) string {
	file := fileOf(err)
	if file == "" {
		return ""
	}
	switch {
	case errors.Is(err, syscall.EROFS):
		return "the file system of " + filepath.Dir(file) + " is mounted read-only: mount it for writing, or choose another place"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "free some room on the file system of " + filepath.Dir(file)
	case errors.Is(err, fs.ErrPermission):
		return "look at the owner and the mode of " + file + " and of its directory: ls -ld '" + file + "' '" + filepath.Dir(file) + "'"
	}
	return ""
}

// fileOf returns the file that an error is about.
func fileOf(err error) string {
	var (
		path *fs.PathError
		link *os.LinkError
		sock *net.OpError
	)
	switch {
	case errors.As(err, &path):
		return path.Path
	case errors.As(err, &link):
		return link.New
	case errors.As(err, &sock):
		if at, ok := sock.Addr.(*net.UnixAddr); ok {
			return at.Name
		}
	}
	return ""
}
