package machine

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Available returns how many bytes of memory new processes of this one can use without swapping: the kernel's number, or the rest
// of the limits of the control groups that this process is in. It returns 0 if that is unknown. It reads files of the kernel,
// which answers from memory.
func Available() int64 { return availableIn("/proc", "/sys/fs/cgroup") }

func availableIn(proc, groups string) int64 {
	free := field(filepath.Join(proc, "meminfo"), "MemAvailable:")
	if free <= 0 {
		return 0
	}
	free = saturated(free, 1<<10)
	own, err := os.ReadFile(filepath.Join(proc, "self", "cgroup"))
	if err != nil {
		return free
	}
	for line := range strings.Lines(string(own)) {
		path, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::/")
		if !ok || strings.HasPrefix(path, "..") {
			continue
		}
		for ; path != "." && path != "/" && path != ""; path = filepath.Dir(path) {
			if left, limited := leftIn(filepath.Join(groups, path)); limited {
				free = min(free, left)
			}
		}
	}
	return max(free, 1)
}

// leftIn returns how many bytes of memory a control group of version 2 may still use. The page cache counts as free.
func leftIn(group string) (left int64, limited bool) {
	most, err := number(filepath.Join(group, "memory.max"))
	if err != nil { // "max", or no controller
		return 0, false
	}
	used, err := number(filepath.Join(group, "memory.current"))
	if err != nil {
		return 0, false
	}
	cache := field(filepath.Join(group, "memory.stat"), "inactive_file")
	return most - max(used-max(cache, 0), 0), true
}

func number(path string) (int64, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
}

// field returns the number after a name at the beginning of a line; -1 if there is none.
func field(path, name string) int64 {
	text, err := os.ReadFile(path)
	if err != nil {
		return -1
	}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) >= 2 && words[0] == name {
			if n, err := strconv.ParseInt(words[1], 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
				return n
			}
		}
	}
	return -1
}

func saturated(n, unit int64) int64 {
	if n > math.MaxInt64/unit {
		return math.MaxInt64
	}
	return n * unit
}
