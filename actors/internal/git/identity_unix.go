//go:build unix

package git

import (
	"fmt"
	"os"
	"syscall"
)

// Identity distinguishes a file or directory from others that have its path later. It is empty if there is none.
func Identity(path string) string {
	info, err := os.Lstat(path)
	if err != nil {
		return ""
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprintf("%d:%d", s.Dev, s.Ino)
	}
	return ""
}
