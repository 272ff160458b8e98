package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// seen is how a running daemon was started, as /proc has it: nothing if it is another
// user's, or not dumpable, as daemons are that can be asked. Its log is empty if its
// standard error is no file and its state directory cannot be told.
func seen(pid int) (background, bool) {
	proc := fmt.Sprintf("/proc/%d/", pid)
	arguments, err := zeroSeparated(proc + "cmdline")
	if err != nil || !isDaemon(arguments) {
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

// inService reports whether a process is in the control group of a systemd service, which
// everybody may see. What a service starts and leaves behind is in it too.
func inService(pid int) bool {
	groups, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(groups)) {
		if path, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::"); ok {
			return strings.HasSuffix(path, ".service")
		}
	}
	return false
}

// logOf is where a process complains: the file that its standard error is, or the
// usual one beside the lock it holds.
func logOf(proc string) string {
	if path := errorFile(proc); path != "" {
		return path
	}
	files, _ := os.ReadDir(proc + "fd")
	for _, f := range files {
		if path, err := os.Readlink(proc + "fd/" + f.Name()); err == nil && filepath.Base(path) == lockName {
			return filepath.Join(filepath.Dir(path), logName)
		}
	}
	return ""
}

// errorFile is the regular file that the standard error of a process is; empty if it is
// none. proc is the directory of the process.
func errorFile(proc string) string {
	path, err := os.Readlink(proc + "fd/2")
	if err != nil {
		return ""
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return path
}

// ownErrorFile is that of this process.
func ownErrorFile() string { return errorFile("/proc/self/") }

func zeroSeparated(path string) ([]string, error) {
	raw, err := os.ReadFile(path)
	if err != nil || len(raw) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(raw), "\x00"), "\x00"), nil
}
