package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// load returns the load average of the last minute; 0 where the system does not report it.
func load() (average float64) {
	raw, err := os.ReadFile("/proc/loadavg")
	if err == nil {
		_, _ = fmt.Sscan(string(raw), &average)
	}
	return average
}

// daemonTime returns the processor time of a process so far; 0 where the system does not report it.
func daemonTime(pid int) (sum time.Duration) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	for _, thread := range threads {
		raw, err := os.ReadFile(thread)
		var ran time.Duration
		if err != nil { // it has ended
			continue
		}
		if _, err := fmt.Fscan(strings.NewReader(string(raw)), &ran); err == nil {
			sum += ran
		}
	}
	return sum
}
