package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Leaf is the name of the group of the daemon itself, below the one that is delegated to it.
const Leaf = "daemon"

// UnavailableError is the reason why memory cannot be limited. Mend is the remedy.
type UnavailableError struct{ Reason, Mend string }

// Error returns the reason.
func (e *UnavailableError) Error() string { return e.Reason }

const (
	mendUnit  = "Let systemd delegate the controller and name the group of the daemon: Delegate=memory and DelegateSubgroup=" + Leaf + " in the unit (systemd 254)."
	mendOther = "Start the daemon in a control group of its own, with the controller memory: as a systemd service, or 'systemd-run --user -p Delegate=memory -p DelegateSubgroup=" + Leaf + " betcode daemon run'."
)

// Top returns the group that is delegated to a daemon in the group own: own, or its parent if own is the leaf.
func Top(own string) string {
	if filepath.Base(own) == Leaf {
		return filepath.Dir(own)
	}
	return own
}

// Mover selects the processes that may be moved, and moves them.
type Mover struct {
	Mine func(pid int) bool                // reports whether a process is the daemon, or was started by one
	Move func(group string, pid int) error // nil = write the pid into cgroup.procs
}

// rounds bounds how often processes to move are searched, because they start others meanwhile.
const rounds = 5

// Enable gives the children of top, and those of base below it, the memory controller. It changes nothing if they have it. The
// error is an [*UnavailableError].
func Enable(top, base string, m Mover) error {
	if !lists(top, "cgroup.controllers") {
		return &UnavailableError{fmt.Sprintf("the control group %s does not have the controller memory", top), mendFor(top)}
	}
	if !lists(top, "cgroup.subtree_control") {
		if err := m.clear(top); err != nil {
			return err
		}
		if err := enable(top); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(base, 0o755); err != nil {
		return &UnavailableError{fmt.Sprintf("no control group can be made: %v", err), mendFor(top)}
	}
	if lists(base, "cgroup.subtree_control") {
		return nil
	}
	return enable(base)
}

func enable(group string) error {
	if err := write(filepath.Join(group, "cgroup.subtree_control"), "+memory"); err != nil {
		return &UnavailableError{fmt.Sprintf("the controller memory cannot be enabled: %v", err), mendFor(group)}
	}
	return nil
}

// clear moves the processes of a group into the leaf.
func (m Mover) clear(top string) error {
	pids, err := processes(top)
	if err != nil || len(pids) == 0 {
		return err
	}
	if strings.HasSuffix(top, ".service") {
		return &UnavailableError{fmt.Sprintf("systemd has started the daemon in %s itself, whose children get no controllers then", top), mendUnit}
	}
	leaf := filepath.Join(top, Leaf)
	for range rounds {
		if n := slices.IndexFunc(pids, func(pid int) bool { return !m.Mine(pid) }); n >= 0 {
			return &UnavailableError{fmt.Sprintf("process %d, which is not the daemon's, is in its control group %s", pids[n], top), mendOther}
		}
		if err := os.Mkdir(leaf, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return &UnavailableError{fmt.Sprintf("no control group can be made: %v", err), mendOther}
		}
		for _, pid := range pids {
			if err := m.move(leaf, pid); err != nil && slices.Contains(present(top), pid) {
				return &UnavailableError{fmt.Sprintf("process %d cannot be moved into %s: %v", pid, leaf, err), mendOther}
			}
		}
		if pids, err = processes(top); err != nil || len(pids) == 0 {
			return err
		}
	}
	return &UnavailableError{fmt.Sprintf("processes go on starting in %s", top), mendOther}
}

func (m Mover) move(group string, pid int) error {
	if m.Move != nil {
		return m.Move(group, pid)
	}
	return write(filepath.Join(group, "cgroup.procs"), strconv.Itoa(pid))
}

// processes returns the processes in a group, without those in the groups below it.
func processes(group string) ([]int, error) {
	text, err := os.ReadFile(filepath.Join(group, "cgroup.procs"))
	if err != nil {
		return nil, &UnavailableError{fmt.Sprintf("the control group is not readable: %v", err), mendFor(group)}
	}
	var pids []int
	for word := range strings.FieldsSeq(string(text)) {
		pid, err := strconv.Atoi(word)
		if err != nil || pid <= 0 { // 0 is a process of another pid namespace
			return nil, &UnavailableError{fmt.Sprintf("a process outside the namespace is in %s", group), mendFor(group)}
		}
		pids = append(pids, pid)
	}
	return pids, nil
}

// present is processes for a group that is known to be readable.
func present(group string) []int {
	pids, err := processes(group)
	if err != nil {
		return nil
	}
	return pids
}

// lists reports whether a file of a group lists the memory controller.
func lists(group, file string) bool {
	text, err := os.ReadFile(filepath.Join(group, file))
	return err == nil && slices.Contains(strings.Fields(string(text)), "memory")
}

func mendFor(group string) string {
	if strings.Contains(group, ".service") {
		return mendUnit
	}
	return mendOther
}

// Limit limits a group to so many bytes. Its processes are killed together when they need more.
func Limit(group string, bytes int64) error {
	if err := write(filepath.Join(group, "memory.max"), strconv.FormatInt(bytes, 10)); err != nil {
		return err
	}
	return write(filepath.Join(group, "memory.oom.group"), "1")
}

// Exceeded reports whether the kernel has killed processes of a group because of its limit.
func Exceeded(group string) bool {
	text, err := os.ReadFile(filepath.Join(group, "memory.events"))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(text)) {
		name, count, _ := strings.Cut(strings.TrimSpace(line), " ")
		if n, err := strconv.ParseUint(count, 10, 64); name == "oom_kill" && err == nil && n > 0 {
			return true
		}
	}
	return false
}

// write writes to a file of the kernel. It creates none: a group without the file lacks that control.
func write(path, text string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}
