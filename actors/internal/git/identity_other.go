//go:build !unix

package git

import (
	"os"
	"strconv"
)

// Identity distinguishes a file or directory from others that have its path later. It is empty if there is none.
func Identity(path string) string {
	info, err := os.Lstat(path)
	if err != nil {
		return ""
	}
	return strconv.FormatInt(info.ModTime().UnixNano(), 10)
}
