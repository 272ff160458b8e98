package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// ownCgroup returns the directory of the group of this process.
func ownCgroup() (string, error) {
	mount, err := cgroupMount()
	if err != nil {
		return "", err
	}
	path, err := cgroupOf("self")
	if err != nil {
		return "", err
	}
	if strings.HasPrefix(path, "/..") {
		return "", fmt.Errorf("its own group, %s, is outside the namespace", path)
	}
	return filepath.Join(mount, path), nil
}

// cgroupMount returns the directory where the groups of version 2 are mounted, from their root.
func cgroupMount() (string, error) {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(mounts)) {
		before, after, _ := strings.Cut(line, " - ")
		f, kind := strings.Fields(before), strings.Fields(after)
		if len(f) > 4 && len(kind) > 0 && kind[0] == "cgroup2" && f[3] == "/" {
			return strings.ReplaceAll(f[4], `\040`, " "), nil
		}
	}
	return "", errors.New("control groups of version 2 are not mounted")
}

// cgroupOf returns the group of a process, from the root of the hierarchy.
func cgroupOf(pid string) (string, error) {
	groups, err := os.ReadFile("/proc/" + pid + "/cgroup")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(groups)) {
		if path, ok := strings.CutPrefix(line, "0::"); ok {
			return strings.TrimSuffix(path, "\n"), nil
		}
	}
	return "", errors.New("the process is in no control group of version 2")
}

// inCgroup reports whether a process is in a group or below it.
func inCgroup(pid int, path string) bool {
	mount, err := cgroupMount()
	if err != nil {
		return false
	}
	group, err := cgroupOf(strconv.Itoa(pid))
	group = filepath.Join(mount, group)
	return err == nil && (group == path || strings.HasPrefix(group, path+"/"))
}

// populated reports whether the group or a group below it has a process.
func populated(path string) bool {
	events, err := os.ReadFile(filepath.Join(path, "cgroup.events"))
	return err == nil && strings.Contains(string(events), "populated 1")
}

// removeEmpty removes a group with the groups below it, as far as they are empty.
func removeEmpty(path string) {
	for _, group := range append(below(path), path) {
		_ = unix.Rmdir(group) // fails if the group has processes
	}
}

// below lists the groups below one, the deepest first.
func below(path string) []string {
	entries, _ := os.ReadDir(path)
	var all []string
	for _, e := range entries {
		if e.IsDir() {
			group := filepath.Join(path, e.Name())
			all = append(append(all, below(group)...), group)
		}
	}
	return all
}
