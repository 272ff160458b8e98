package siege

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Launcher is the process that started the first agent of a session.
func (s *Siege) Launcher(id string) (int, error) {
	raw, err := os.ReadFile(filepath.Join(s.World.StateDir(), "runs", id, "1", "launcher.json"))
	if err != nil {
		return 0, err
	}
	var record struct{ Launcher struct{ PID int } }
	err = json.Unmarshal(raw, &record)
	return record.Launcher.PID, err
}

// Family lists the processes that work in the session's directory.
func (s *Siege) Family() (pids []int) {
	names, _ := filepath.Glob("/proc/[0-9]*")
	for _, name := range names {
		pid, _ := strconv.Atoi(filepath.Base(name))
		cwd, err := os.Readlink(name + "/cwd")
		if err == nil && strings.HasPrefix(cwd, s.World.Project) && alive(pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func alive(pid int) bool { return state(pid) != 0 && state(pid) != 'Z' && state(pid) != 'X' }

// state is that of a process, as in /proc; zero if there is none.
func state(pid int) byte {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	at := strings.LastIndexByte(string(stat), ')')
	if err != nil || at < 0 || at+2 >= len(stat) {
		return 0
	}
	return stat[at+2]
}

// Frozen reports whether everything that works in the session's directory is stopped.
func (s *Siege) Frozen() bool {
	return s.Becomes(func() bool {
		for _, pid := range s.Family() {
			if !strings.ContainsRune("TD", rune(state(pid))) { // D waits for a child that is frozen between vfork and exec
				return false
			}
		}
		return len(s.Family()) > 0
	})
}
