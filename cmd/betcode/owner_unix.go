//go:build unix

package main

import (
	"io/fs"
	"syscall"
)

// ownerOf is the user whose file it is; ok is false where that is not said.
func ownerOf(info fs.FileInfo) (uid int, ok bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}
