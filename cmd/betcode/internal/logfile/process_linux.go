package logfile

import (
	"fmt"
	"os"
)

// OfProcess returns the regular file that the standard error of a process is; empty if it is none.
func OfProcess(pid int) string {
	path, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/2", pid))
	if err != nil {
		return ""
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return path
}
