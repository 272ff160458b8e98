package process

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"betcode/actors/internal/cgroup"
	"betcode/actors/internal/launch"
)

// A control group contains an agent with all its descendants, including those that start
// sessions, become orphans or scrub their environment, and is killed as a whole.
// It is made where the system permits it: below the group of version 2 that is delegated to
// the daemon. Of the controllers only memory is enabled, when agents are to have a limit.
// The launcher stays outside, since it has to record how the agent ended.

// cgroupPrefix begins the name of the parent group of one daemon's agents. It
// identifies groups that daemons have made.
const cgroupPrefix = "betcode-"

// Cgroups is the parent of the groups of a daemon's agents. The zero value has none:
// agents are then found by their tokens alone.
type Cgroups struct{ base string }

// FindCgroups finds out, by making one, where control groups for the agents below the
// directory runs can be made, and removes empty ones of earlier daemons. The error is the
// reason why agents have no control groups; the daemon can run without.
func FindCgroups(runs string) (Cgroups, error) {
	own, err := ownCgroup()
	if err != nil {
		return Cgroups{}, err
	}
	sum := sha256.Sum256([]byte(runs))
	top := cgroup.Top(own)
	c := Cgroups{filepath.Join(top, cgroupPrefix+hex.EncodeToString(sum[:6]))}
	defer removeEmpty(c.base)
	probe := filepath.Join(c.base, "probe")
	if err := os.MkdirAll(probe, 0o755); err != nil {
		return Cgroups{}, err
	}
	defer removeEmpty(probe)
	if _, err := os.Stat(filepath.Join(probe, "cgroup.procs")); err != nil {
		return Cgroups{}, err
	}
	if err := unix.Access(filepath.Join(top, "cgroup.procs"), unix.W_OK); err != nil {
		return Cgroups{}, &fs.PathError{Op: "write", Path: filepath.Join(top, "cgroup.procs"), Err: err}
	}
	c.RemoveEmpty()
	return c, nil
}

// RemoveEmpty removes the groups without processes: those of runs whose end no daemon
// saw, and at the daemon's own end also the parent.
func (c Cgroups) RemoveEmpty() {
	if c.base != "" {
		removeEmpty(c.base)
	}
}

// EnableMemory makes it possible to limit the memory of agents. The first call may move the daemon into a group of its own. The
// error is a [*cgroup.UnavailableError].
func (c Cgroups) EnableMemory() error {
	if c.base == "" {
		return noCgroups()
	}
	return cgroup.Enable(filepath.Dir(c.base), c.base, cgroup.Mover{Mine: daemons})
}

// daemons reports whether a process is this daemon, the launcher of an agent, or a descendant of one of them.
func daemons(pid int) bool {
	for range maxDepth {
		if pid == os.Getpid() || isLauncher(pid) {
			return true
		}
		e, ok := look(pid)
		if !ok || e.parent <= 1 {
			return !ok // it has ended
		}
		pid = e.parent
	}
	return false
}

// maxDepth bounds how many ancestors of a process are checked.
const maxDepth = 100

// For returns the path of the group for the agent of a run directory, empty for the
// zero Cgroups.
func (c Cgroups) For(run string) string {
	if c.base == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(run))
	return filepath.Join(c.base, hex.EncodeToString(sum[:8]))
}

// makeCgroup makes the group of an agent and writes its path into the run
// directory, for later daemons. If that fails the agent has no group.
//
// A limit that cannot be set is left out; [Cgroups.EnableMemory] returns the reason.
func makeCgroup(run, path string, limit int64) string {
	if path == "" {
		return ""
	}
	if os.WriteFile(filepath.Join(run, launch.CgroupFile), []byte(path+"\n"), 0o600) != nil {
		return ""
	}
	const tries = 3 // the end of another agent may remove the parent
	for n := range tries {
		if limit > 0 {
			_ = Cgroups{filepath.Dir(path)}.EnableMemory()
		}
		if os.MkdirAll(path, 0o755) != nil {
			continue
		}
		if limit <= 0 || cgroup.Limit(path, limit) == nil || n == tries-1 {
			return path
		}
		_ = unix.Rmdir(path)
	}
	return ""
}

// cgroupOfRun returns the recorded group of a run's agent. It is empty if there is none, or
// the record names a group that no daemon has made.
func cgroupOfRun(run string) string {
	words, err := os.ReadFile(filepath.Join(run, launch.CgroupFile))
	if err != nil {
		return ""
	}
	path := strings.TrimSuffix(string(words), "\n")
	mount, err := cgroupMount()
	if err != nil || !filepath.IsAbs(path) || path != filepath.Clean(path) || !strings.HasPrefix(path, mount+"/") ||
		!strings.HasPrefix(filepath.Base(filepath.Dir(path)), cgroupPrefix) {
		return ""
	}
	// A daemon that was itself started below the agent must not kill itself.
	if own, err := ownCgroup(); err != nil || own == path || strings.HasPrefix(own, path+"/") {
		return ""
	}
	return path
}

// killCgroup sends SIGKILL to all processes in the group of a run, and reports
// whether it is empty.
func killCgroup(run string) (empty bool) {
	path := cgroupOfRun(run)
	if path == "" || !populated(path) {
		return true
	}
	if os.WriteFile(filepath.Join(path, "cgroup.kill"), []byte("1"), 0o644) == nil {
		return !populated(path)
	}
	for _, group := range append(below(path), path) { // before Linux 5.14
		pids, _ := os.ReadFile(filepath.Join(group, "cgroup.procs"))
		for word := range strings.FieldsSeq(string(pids)) {
			if pid, err := strconv.Atoi(word); err == nil {
				if e, ok := look(pid); ok && inCgroup(pid, path) {
					_ = send(e.identity(), unix.SIGKILL) // it may be gone
				}
			}
		}
	}
	return !populated(path)
}

// memoryExceeded reports whether the agent of a run needed more memory than the limit of its group.
func memoryExceeded(run string) bool {
	path := cgroupOfRun(run)
	return path != "" && cgroup.Exceeded(path)
}

// RemoveCgroup removes the group of a run whose agent has ended, unless processes that the
// agent left behind still live in it.
func RemoveCgroup(run string) {
	path := cgroupOfRun(run)
	if path == "" {
		return
	}
	removeEmpty(path)
	removeEmpty(filepath.Dir(path))
}
