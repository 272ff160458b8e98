package doctor

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"betcode/config"
	"betcode/messages/claudecode"
)

// installation is an installation without problems, in files of its own. A test breaks it.
type installation struct {
	testing.TB
	root    string // of the system, of the user and of the daemon
	sources Sources
}

// programs replace those that repairs call. ROOT is the installation, VERSION the newest agent.
var programs = map[string]string{
	"sudo":        `exec "$@"`,
	"sysctl":      `file=$(echo "${1%%=*}" | tr . /); echo "${1#*=}" >"$ROOT/proc/sys/$file"`,
	"timedatectl": `touch "$ROOT"/state/journal/*`,
	"loginctl":    `test "$1" = enable-linger && touch "$ROOT/var/lib/systemd/linger/${2:-$(id -un)}"`,
	"npm":         `printf '#!/bin/sh\necho %s\n' "$VERSION" >"$ROOT/bin/claude"; chmod 700 "$ROOT/bin/claude"`,
	"claude":      `case $1 in /login) echo '{"claudeAiOauth": {"accessToken": "t"}}' >"$HOME/.claude/.credentials.json";; *) echo "$VERSION";; esac`,
	"betcode": `case "$*" in
"service install") echo memory pids | tee "$ROOT"/sys/fs/cgroup/user.slice/*/*/cgroup.controllers >/dev/null; mkdir -p "$HOME/.config/systemd/user"; touch "$HOME/.config/systemd/user/betcode.service";;
*) exit 1;; esac`,
}

func install(t testing.TB) *installation {
	i := &installation{TB: t, root: filepath.Join(t.TempDir(), "it's a root")}
	uid := os.Getuid()
	group := fmt.Sprintf("sys/fs/cgroup/user.slice/user-%d.slice/user@%d.service/", uid, uid)
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"proc/sys/fs/inotify/max_user_instances": "512", "proc/sys/fs/inotify/max_user_watches": "65536",
		group + "cgroup.controllers": "memory pids", group + "cgroup.procs": "", "run/systemd/system/units": "",
		"var/lib/systemd/linger/" + me.Username: "", "home/.config/systemd/user/betcode.service": "",
		"home/.claude/.credentials.json": `{"claudeAiOauth": {"accessToken": "t"}}`, "state/journal/1": "", "run/betcode/lock": "",
	} {
		i.write(name, text)
	}
	for name, text := range programs {
		i.write("bin/"+name, "#!/bin/sh\n"+text+"\n")
	}
	env := map[string]string{
		"HOME": i.path("home"), "PATH": i.path("bin") + ":/usr/bin:/bin", "ROOT": i.root, "VERSION": claudecode.Newest(),
		"BETCODE_CLAUDE": "", "CLAUDE_CONFIG_DIR": "", "XDG_CONFIG_HOME": "",
	}
	for _, name := range credentials {
		env[name] = ""
	}
	for name, value := range env {
		t.(*testing.T).Setenv(name, value)
	}
	i.sources = Sources{
		Client: config.Client{SocketPath: i.path("run/betcode/s")},
		Daemon: config.Daemon{StateDir: i.path("state"), ClaudePath: "claude", MemoryMax: 1 << 30, Fence: "off"},
		World:  config.System(), System: i.root,
	}
	i.sources.Daemon.Disk.Low = 1
	return i
}

func (i *installation) path(name string) string { return filepath.Join(i.root, name) }

func (i *installation) write(name, text string) {
	i.Helper()
	if err := os.MkdirAll(filepath.Dir(i.path(name)), 0o700); err != nil {
		i.Fatal(err)
	}
	if err := os.WriteFile(i.path(name), []byte(text), 0o700); err != nil {
		i.Fatal(err)
	}
}

func (i *installation) remove(name string) {
	i.Helper()
	if err := os.Remove(i.path(name)); err != nil {
		i.Fatal(err)
	}
}

// finding gathers and diagnoses, as the command does.
func (i *installation) finding(id string) Finding {
	i.Helper()
	for _, f := range Diagnose(Gather(i.Context(), i.sources)) {
		if f.ID == id {
			return f
		}
	}
	i.Fatalf("there is no check %s", id)
	return Finding{}
}

func (i *installation) open(name string) {
	if err := os.Chmod(i.path(name), 0o755); err != nil { //nolint:gosec // that is the fault
		i.Fatal(err)
	}
}

// faults are single faults, each with the check that finds it. typed: the printed command repairs it, typed unchanged.
var faults = []struct {
	name     string
	cause    func(*installation)
	id       string
	severity Severity
	typed    bool
}{
	{"a directory of the socket that others enter", func(i *installation) { i.open("run/betcode") }, "socket.directory", Problem, true},
	{"a state directory that others enter", func(i *installation) { i.open("state") }, "state.directory", Problem, true},
	{"a full disk", func(i *installation) { i.sources.Daemon.Disk.Low = 1 << 60 }, "state.space", Problem, false},
	{"a clock that is behind", func(i *installation) {
		later := time.Now().Add(time.Hour)
		if err := os.Chtimes(i.path("state/journal/1"), later, later); err != nil {
			i.Fatal(err)
		}
	}, "clock", Warning, true},
	{"no agent", func(i *installation) { i.remove("bin/claude") }, "agent.path", Problem, true},
	{"an old agent", func(i *installation) { i.write("bin/claude", "#!/bin/sh\necho 1.0.24\n") }, "agent.version", Problem, true},
	{"an agent that says nothing", func(i *installation) { i.write("bin/claude", "#!/bin/sh\nexit 1\n") }, "agent.version", Problem, false},
	{"no login", func(i *installation) { i.remove("home/.claude/.credentials.json") }, "agent.login", Problem, true},
	{"a login of a server only", func(i *installation) {
		i.write("home/.claude/.credentials.json", `{"mcpOAuth": {"x": {"accessToken": "t"}}}`)
	}, "agent.login", Problem, true},
	{"no memory controller", func(i *installation) {
		group := fmt.Sprintf("sys/fs/cgroup/user.slice/user-%d.slice/user@%[1]d.service/cgroup.controllers", os.Getuid())
		i.write(group, "pids")
	}, "kernel.memory", Warning, true},
	{"few inotify instances", func(i *installation) { i.write("proc/sys/fs/inotify/max_user_instances", "16") }, "kernel.inotify", Warning, true},
	{"few inotify watches", func(i *installation) { i.write("proc/sys/fs/inotify/max_user_watches", "1024") }, "kernel.inotify", Warning, true},
	{"no service", func(i *installation) { i.remove("home/.config/systemd/user/betcode.service") }, "service.unit", Note, true},
	{"a service that ends with the login", func(i *installation) {
		if err := os.RemoveAll(i.path("var/lib/systemd/linger")); err != nil {
			i.Fatal(err)
		}
		i.write("var/lib/systemd/linger/nobody", "")
	}, "service.linger", Warning, true},
}

// TestFaultsAreMended causes each fault in files and repairs it: by the fix of doctor if there is one, and by the
// printed command.
func TestFaultsAreMended(t *testing.T) {
	for _, fault := range faults {
		t.Run(fault.name, func(t *testing.T) {
			i := install(t)
			if f := i.finding(fault.id); f.Severity != OK {
				t.Fatalf("without the fault: %+v", f)
			}
			fault.cause(i)
			f := i.finding(fault.id)
			if f.Severity != fault.severity {
				t.Fatalf("%+v", f)
			}
			if f.Fixable {
				if err := Apply(t.Context(), f); err != nil {
					t.Fatal(err)
				}
				if f := i.finding(fault.id); f.Severity != OK {
					t.Fatalf("after --fix: %+v", f)
				}
				fault.cause(i)
			}
			if !fault.typed {
				return
			}
			if out, err := exec.Command("/bin/sh", "-c", f.Mend).CombinedOutput(); err != nil { //nolint:gosec // what a person types
				t.Fatalf("%s: %v\n%s", f.Mend, err, out)
			}
			if again := i.finding(fault.id); again.Severity != OK {
				t.Errorf("after %q: %+v", f.Mend, again)
			}
		})
	}
}

// A unit that a package has installed starts the daemon once it is enabled.
func TestUnitOfAPackage(t *testing.T) {
	i := install(t)
	i.remove("home/.config/systemd/user/betcode.service")
	i.write("share/betcode.service", "")
	wants := i.path("home/.config/systemd/user/default.target.wants/betcode.service")
	if err := os.MkdirAll(filepath.Dir(wants), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(i.path("share/betcode.service"), wants); err != nil {
		t.Fatal(err)
	}
	if f := i.finding("service.unit"); f.Severity != OK || !strings.Contains(f.Reason, wants) {
		t.Errorf("%+v", f)
	}
}

// Logins of other kinds count, and a pipe in place of a file does not block.
func TestLogins(t *testing.T) {
	for name, text := range map[string]string{"home/.claude/settings.json": `{"apiKeyHelper": "/bin/key"}`, "home/.claude.json": `{"primaryApiKey": "k"}`} {
		i := install(t)
		i.remove("home/.claude/.credentials.json")
		i.write(name, text)
		if f := i.finding("agent.login"); f.Severity != OK || !strings.Contains(f.Reason, i.path(name)) {
			t.Errorf("%s: %+v", name, f)
		}
	}
	i := install(t)
	for _, name := range []string{".claude/.credentials.json", ".claude/settings.json", ".claude.json"} {
		path := i.path("home/" + name)
		_ = os.Remove(path) // it may be missing
		if out, err := exec.Command("mkfifo", path).CombinedOutput(); err != nil {
			t.Skipf("mkfifo: %v: %s", err, out)
		}
	}
	if f := i.finding("agent.login"); f.Severity != Problem {
		t.Errorf("pipes: %+v", f)
	}
}

// A state directory in memory is gone after a restart of the machine.
func TestVolatileStateDirectory(t *testing.T) {
	dir, err := os.MkdirTemp("/dev/shm", "betcode")
	if err != nil {
		t.Skip(err)
	}
	defer os.RemoveAll(dir)
	if _, volatile := filesystemOf(dir); !volatile {
		t.Skip("/dev/shm is not in memory here")
	}
	i := install(t)
	kept := i.sources.Daemon.StateDir
	i.sources.Daemon.StateDir = dir
	if f := i.finding("state.filesystem"); f.Severity != Warning {
		t.Errorf("%+v", f)
	}
	if i.sources.Daemon.StateDir = kept; filesystem(Facts{State: directory(kept)}).Severity == Problem {
		t.Error("a local disk is a problem")
	}
}
