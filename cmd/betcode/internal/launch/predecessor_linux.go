package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"betcode/cmd/betcode/internal/logfile"
	"betcode/cmd/betcode/internal/statedir"
)

// seen reads from /proc how a running daemon was started. It returns false for a process of another user and for one that
// is not dumpable, which can be asked instead. The log is empty if standard error is no file and the state directory is
// not known.
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
	return background{arguments: arguments[1:], environment: environment, directory: directory, log: logOf(pid)}, true
}

// delegateSubgroup is the group of the daemon below that of its service, where the unit names one.
const delegateSubgroup = "daemon"

// inService reports whether a process is in the control group of a systemd service, as are processes that a service
// started and left behind.
func inService(pid int) bool { return strings.HasSuffix(groupOf(pid), ".service") }

// InUnit reports whether a process is in the control group of a unit of systemd.
func InUnit(pid int, unit string) bool { return filepath.Base(groupOf(pid)) == unit }

// groupOf returns the control group of a process, or of its service; empty if it is not known.
func groupOf(pid int) string {
	groups, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
	if err != nil {
		return ""
	}
	return serviceGroup(string(groups))
}

// serviceGroup returns the group that /proc names, without that of the daemon below its service.
func serviceGroup(groups string) string {
	for line := range strings.Lines(groups) {
		if path, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::"); ok {
			return strings.TrimSuffix(path, "/"+delegateSubgroup)
		}
	}
	return ""
}

// logOf returns the log of a daemon: the file that its standard error is, or the usual one beside the lock it holds.
func logOf(pid int) string {
	proc := fmt.Sprintf("/proc/%d/", pid)
	if path := logfile.OfProcess(pid); path != "" {
		return path
	}
	files, _ := os.ReadDir(proc + "fd")
	for _, f := range files {
		if path, err := os.Readlink(proc + "fd/" + f.Name()); err == nil && filepath.Base(path) == statedir.LockName {
			return filepath.Join(filepath.Dir(path), statedir.LogName)
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
