package process

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"betcode/actors/internal/launch"
)

// How far BelowAgent walks, and how often it starts again because a process ended during
// the walk.
const (
	maxAncestors = 512
	maxWalks     = 8
)

// BelowAgent reports whether pid is an agent, a launcher, or descends from one: of
// this daemon or of any other. While an agent lives its launcher, a subreaper,
// stays in the line of everything below it, whatever forks, starts sessions or
// scrubs its own environment. Processes that became orphans because the launcher was killed
// are found by the control group of the agent, where agents have one.
//
// An error means that the answer is unknown: the process has ended, is in another pid
// namespace, or has an ancestor that this user may not inspect. docs/security.md lists the
// cases that are not covered.
func BelowAgent(pid int) (bool, error) { return processTable("/proc").belowAgent(pid) }

// processTable is a directory like /proc.
type processTable string

// errMoved reports that the line of ancestors changed while it was walked.
var errMoved = errors.New("its ancestors change too fast")

func (t processTable) belowAgent(pid int) (below bool, err error) {
	if pid <= 0 {
		return false, errors.New("the process is in another pid namespace")
	}
	if t.inAgentCgroup(pid) {
		return true, nil
	}
	for range maxWalks {
		if below, err = t.walk(pid); !errors.Is(err, errMoved) {
			break
		}
	}
	if err != nil {
		return false, fmt.Errorf("look at the ancestors of process %d: %w", pid, err)
	}
	return below, nil
}

// walk inspects each process from pid up to the first one. It reads each process twice: if
// it is the same process with the same parent before and after its parent was read, that
// parent was no reused pid.
func (t processTable) walk(pid int) (bool, error) {
	child, err := t.line(pid)
	if err != nil {
		return false, err
	}
	if child.kernel { // before Linux 5.12 it connects for a process that uses io_uring
		return false, errors.New("a thread of the kernel connected for another process")
	}
	if t.ours(pid) {
		return true, nil
	}
	for range maxAncestors {
		if child.parent == 0 {
			return false, nil // the first process has no parent
		}
		parent, err := t.line(child.parent)
		ours := t.ours(child.parent)
		again, errAgain := t.line(child.pid)
		switch {
		case errAgain != nil && child.pid == pid:
			return false, errAgain // it has ended
		case errAgain != nil || again.parent != child.parent || again.start != child.start:
			return false, errMoved
		case ours:
			return true, nil
		case err != nil:
			return false, err
		}
		child = parent
	}
	return false, errors.New("there is no end of them")
}

// inAgentCgroup reports whether a process is in the control group of an agent, of this
// daemon or another. It stays there when its ancestors end, unless it may write to
// another group. A group that cannot be read proves nothing.
func (t processTable) inAgentCgroup(pid int) bool {
	raw, err := os.ReadFile(t.file(pid, "cgroup"))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(raw)) {
		if path, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::"); ok {
			return agentCgroup.MatchString(path)
		}
	}
	return false
}

// agentCgroup is the path of an agent's group, as [Cgroups.For] makes it, or one below.
var agentCgroup = regexp.MustCompile(`/` + cgroupPrefix + `[0-9a-f]{12}/[0-9a-f]{16}(/|$)`)

// line reads the table's entry of a process, also of a zombie.
func (t processTable) line(pid int) (entry, error) {
	stat, err := os.ReadFile(t.file(pid, "stat"))
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.ESRCH):
		return entry{}, fmt.Errorf("process %d is not to be seen", pid)
	case err != nil:
		return entry{}, err
	}
	e, ok := parseStat(pid, stat)
	if !ok {
		return entry{}, fmt.Errorf("%s is not understood", t.file(pid, "stat"))
	}
	return e, nil
}

// ours reports whether a process is a launcher or has been given a run's token. An
// environment that may not be read, because the process is another user's or has
// changed users, proves nothing: those of agents and launchers are readable.
func (t processTable) ours(pid int) bool {
	argv, _ := os.ReadFile(t.file(pid, "cmdline"))
	if bytes.HasPrefix(argv, []byte(launch.Name+"\x00")) {
		return true
	}
	environ, _ := os.ReadFile(t.file(pid, "environ"))
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		if name, _, _ := strings.Cut(string(entry), "="); name == launch.TokenVariable || name == launch.Marker {
			return true
		}
	}
	return false
}

func (t processTable) file(pid int, name string) string {
	return filepath.Join(string(t), strconv.Itoa(pid), name)
}
