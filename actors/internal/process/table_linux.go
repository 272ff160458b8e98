package process

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"betcode/actors/internal/launch"
	"betcode/messages"
)

// alive reports whether pid is a process that is not a zombie.
func alive(pid int) bool {
	e, ok := look(pid)
	return ok && e.state != 'Z' && e.state != 'X'
}

// entry is one line of the process table.
type entry struct {
	pid, parent int
	state       byte
	start       uint64
	kernel      bool // a thread of the kernel
}

func (e entry) olderThan(o entry) bool {
	return e.start < o.start || e.start == o.start && e.pid < o.pid
}

func (e entry) identity() messages.ProcessIdentity {
	return messages.ProcessIdentity{PID: e.pid, StartTime: e.start, BootID: launch.BootID()}
}

// kernelThread is PF_KTHREAD of the kernel.
const kernelThread = 0x00200000

// look reads the entry of pid.
func look(pid int) (entry, bool) {
	stat, err := os.ReadFile(proc(pid, "stat"))
	if err != nil {
		return entry{}, false
	}
	return parseStat(pid, stat)
}

// parseStat reads the stat file of pid.
func parseStat(pid int, stat []byte) (entry, bool) {
	// "pid (name) state ppid … start": the name may contain anything, including parentheses.
	f := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(f) < 20 {
		return entry{}, false
	}
	parent, err1 := strconv.Atoi(f[1])
	flags, err2 := strconv.ParseUint(f[6], 10, 32)
	start, err3 := strconv.ParseUint(f[19], 10, 64)
	return entry{pid, parent, f[0][0], start, flags&kernelThread != 0}, errors.Join(err1, err2, err3) == nil
}

// table reads the whole process table, without zombies.
func table() map[int]entry {
	all := map[int]entry{}
	names, _ := filepath.Glob("/proc/[0-9]*")
	for _, name := range names {
		if pid, err := strconv.Atoi(filepath.Base(name)); err == nil {
			if e, ok := look(pid); ok && e.state != 'Z' && e.state != 'X' {
				all[pid] = e
			}
		}
	}
	return all
}

// hasToken reports whether pid has the token in its environment. Known is false if
// the environment cannot be read, or is empty because the process overwrote it.
func hasToken(pid int, token string) (has, known bool) {
	return hasVariable(pid, launch.TokenVariable+"="+token)
}

// hasVariable reports whether "NAME=value" is in the environment of pid. Known is as for hasToken.
func hasVariable(pid int, variable string) (has, known bool) {
	environ, err := os.ReadFile(proc(pid, "environ"))
	if err != nil || len(environ) == 0 {
		return false, false
	}
	want := []byte("\x00" + variable + "\x00")
	return bytes.Contains(append([]byte{0}, environ...), want), true
}

// tokenOf returns the token in the environment of pid; empty if there is none. Known
// is as for hasToken.
func tokenOf(pid int) (token string, known bool) {
	environ, err := os.ReadFile(proc(pid, "environ"))
	if err != nil || len(environ) == 0 {
		return "", false
	}
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		if value, ok := bytes.CutPrefix(entry, []byte(launch.TokenVariable+"=")); ok {
			return string(value), true
		}
	}
	return "", true
}

// carries reports whether pid may have the token: it has it, or its environment cannot be
// read.
func carries(pid int, token string) bool {
	has, known := hasToken(pid, token)
	return has || !known
}

// search searches all processes for the agent of the run directory dir. The agent has
// the token, as all its descendants do, and reads the FIFO, if that still exists;
// a child that inherited both is younger.
func search(dir, token string) (messages.ProcessIdentity, bool) {
	fifo, missing := os.Stat(filepath.Join(dir, launch.StdinFile))
	var found entry
	for pid, e := range table() {
		if has, _ := hasToken(pid, token); !has || isLauncher(pid) {
			continue
		}
		if missing == nil {
			if stdin, err := os.Stat(proc(pid, "fd/0")); err != nil || !os.SameFile(stdin, fifo) {
				continue
			}
		}
		if found.pid == 0 || e.olderThan(found) {
			found = e
		}
	}
	return found.identity(), found.pid != 0
}

func isLauncher(pid int) bool {
	argv, _ := os.ReadFile(proc(pid, "cmdline"))
	return bytes.HasPrefix(argv, []byte(launch.Name+"\x00"))
}

func proc(pid int, file string) string { return "/proc/" + strconv.Itoa(pid) + "/" + file }

// executable returns a path of this program that works even if its file was replaced.
func executable() (string, error) { return "/proc/self/exe", nil }
