//go:build unix

package local

import (
	"io/fs"
	"syscall"
)

// Owner returns the user who owns a file; ok is false if that is not known.
func Owner(info fs.FileInfo) (uid int, ok bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}
