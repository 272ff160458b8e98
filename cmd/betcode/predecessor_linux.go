package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// predecessor is how a running daemon was started. Its log is empty if its
// standard error is no file and its state directory cannot be told.
func predecessor(pid int) (background, bool) {
	proc := fmt.Sprintf("/proc/%d/", pid)
	arguments, err := zeroSeparated(proc + "cmdline")
	if err != nil || len(arguments) < 3 || !slices.Contains(arguments, "daemon") || !slices.Contains(arguments, "run") {
		return background{}, false // started in a way we do not know
	}
	environment, err := zeroSeparated(proc + "environ")
	if err != nil {
		return background{}, false
	}
	directory, err := os.Readlink(proc + "cwd")
	if err != nil {
		return background{}, false
	}
	return background{arguments: arguments[1:], environment: environment, directory: directory, log: logOf(proc)}, true
}

// logOf is where a process complains: the file that its standard error is, or the
// usual one beside the lock it holds.
func logOf(proc string) string {
	if path, err := os.Readlink(proc + "fd/2"); err == nil {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	files, _ := os.ReadDir(proc + "fd")
	for _, f := range files {
		if path, err := os.Readlink(proc + "fd/" + f.Name()); err == nil && filepath.Base(path) == lockName {
			return filepath.Join(filepath.Dir(path), logName)
		}
	}
	return ""
}

func zeroSeparated(path string) ([]string, error) {
	raw, err := os.ReadFile(path)
	if err != nil || len(raw) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(raw), "\x00"), "\x00"), nil
}
