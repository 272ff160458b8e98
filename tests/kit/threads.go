package kit

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// States returns the letter of the state of each thread of a process, as ps shows it: "TT" for a process that was stopped. A stop
// signal does not stop all threads before kill(2) returns.
func States(pid int) string {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	all := ""
	for _, thread := range threads {
		raw, _ := os.ReadFile(thread) // it may have ended
		if _, after, found := strings.Cut(string(raw), ") "); found {
			all += after[:1]
		}
	}
	return all
}

// Stopped reports whether all threads of a process have stopped.
func Stopped(pid int) bool { return strings.Trim(States(pid), "T") == "" }
