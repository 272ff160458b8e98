package kit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"google.golang.org/grpc"
)

// World is one isolated place for a daemon: its directories and the environment
// it runs in. Several daemons may live in it one after the other.
type World struct {
	Root    string   // everything is below it
	Home    string   // HOME of the daemon and its agents
	Project string   // a working directory for sessions
	Binary  string   // the daemon's executable
	Agent   string   // the agent's executable
	Extra   []string // more environment for the daemon, and so for its agents

	Dial []grpc.DialOption // more options of the connections to its daemons
}

// NewWorld creates a world below a new temporary directory. The path is short, even when the
// system's temporary directory is long: a socket's path has at most 107 bytes.
func NewWorld(binary, agent string, extra ...string) (*World, error) {
	parent := os.TempDir()
	if len(parent) > 60 {
		parent = "/tmp"
	}
	root, err := os.MkdirTemp(parent, "bc")
	if err != nil {
		return nil, fmt.Errorf("make world: %w", err)
	}
	w := &World{
		Root: root, Home: filepath.Join(root, "home"), Project: filepath.Join(root, "home", "project"),
		Binary: binary, Agent: agent, Extra: extra,
	}
	for _, dir := range []string{w.Project, w.StateDir(), w.ConfigDir(), w.runtimeDir()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("make world: %w", err)
		}
	}
	return w, nil
}

// Remove deletes the world. Its processes must have been ended before.
func (w *World) Remove() error {
	// Agents that were killed without a daemon leave their control groups, empty.
	records, _ := filepath.Glob(filepath.Join(w.StateDir(), "runs", "*", "*", "cgroup"))
	for _, record := range records {
		if path, err := os.ReadFile(record); err == nil {
			group := strings.TrimSpace(string(path))
			_ = syscall.Rmdir(group) // usually the kernel has removed it already
			_ = syscall.Rmdir(filepath.Dir(group))
		}
	}
	return os.RemoveAll(w.Root)
}

// StateDir is where the daemon keeps its journal and run directories.
func (w *World) StateDir() string { return filepath.Join(w.Root, "state", "betcode") }

// ConfigDir is the daemon's configuration directory.
func (w *World) ConfigDir() string { return filepath.Join(w.Root, "config") }

// Socket is where the daemon listens.
func (w *World) Socket() string { return filepath.Join(w.runtimeDir(), "betcode", "daemon.sock") }

func (w *World) runtimeDir() string { return filepath.Join(w.Root, "run") }

// Environ is the whole environment of the daemon and of the command line in this
// world: of the user's own environment it has PATH only.
func (w *World) Environ() []string {
	temp := filepath.Join(w.Root, "tmp")
	_ = os.MkdirAll(temp, 0o700) // a missing one shows as soon as it is used
	env := []string{
		"HOME=" + w.Home,
		"PATH=" + os.Getenv("PATH"),
		"TMPDIR=" + temp,
		"LANG=C.UTF-8",
		"XDG_STATE_HOME=" + filepath.Join(w.Root, "state"),
		"XDG_RUNTIME_DIR=" + w.runtimeDir(),
		"BETCODE_CONFIG_DIR=" + w.ConfigDir(),
		"BETCODE_CLAUDE=" + w.Agent,
		"BETCODE_SOCKET=" + w.Socket(),
		"BETCODE_POOL_MIN_FREE_MEMORY=off", // what other tests use decides nothing
	}
	return append(env, w.Extra...)
}

// Repository returns the root of this checkout.
func Repository() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(filepath.Dir(file)))
}

// Left lists the processes that carry this world in their environment, or, where that
// may not be read, in their command line, as daemons do.
func (w *World) Left() []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var left []int
	for _, e := range entries {
		var pid int
		if _, err := fmt.Sscan(e.Name(), &pid); err != nil || pid == os.Getpid() {
			continue
		}
		if w.has(pid) {
			left = append(left, pid)
		}
	}
	return left
}

// has reports whether a process belongs to this world.
func (w *World) has(pid int) bool {
	proc := fmt.Sprintf("/proc/%d/", pid)
	environ, err := os.ReadFile(proc + "environ")
	if err == nil {
		return strings.Contains(string(environ), "HOME="+w.Home+"\x00")
	}
	if !errors.Is(err, fs.ErrPermission) {
		return false
	}
	arguments, _ := os.ReadFile(proc + "cmdline") // it may have ended
	return strings.Contains(string(arguments), w.Root+"/")
}
