//go:build unix

package host

import (
	"io/fs"
	"syscall"
)

// ownerOf returns the user who owns a file; ok is false if that is not known.
func ownerOf(info fs.FileInfo) (uid int, ok bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}
