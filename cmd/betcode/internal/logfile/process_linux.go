package logfile

import (
	"fmt"
	"os"
)

// OfProcess returns the path of a process's standard error; empty if that is no regular file.
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
