//go:build unix

package protect

import (
	"os"
	"syscall"
)

// manyNames reports whether a regular file has more than one name.
func manyNames(file string) bool {
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink > 1
}
