package doctor

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"betcode/messages/claudecode"
)

var noon = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

// sound returns the facts of an installation without problems.
func sound() Facts {
	dir := Directory{Path: "/state", Mode: 0o700 | os.ModeDir, Mine: true}
	return Facts{
		Now: noon, OS: "linux", User: "ada", Version: "1.2.0",
		Daemon: Daemon{Socket: "/run/daemon.sock", Answers: true, Version: "1.2.0"},
		Socket: dir, State: dir, Newest: noon.Add(-time.Second),
		Space:   Space{Free: 10 << 30, Low: 512 << 20},
		Agent:   Agent{Program: "claude", Path: "/bin/claude", Version: claudecode.Newest(), Grade: claudecode.Level(claudecode.Newest())},
		Login:   Login{Variable: "ANTHROPIC_API_KEY"},
		Kernel:  Kernel{Landlock: 4, MemoryControl: true, Watches: 65536, Instances: 512},
		Service: Service{Manager: true, Unit: "/home/ada/.config/systemd/user/betcode.service", Lingering: true},
	}
}

func TestSoundInstallation(t *testing.T) {
	all := Diagnose(sound())
	if len(all) != len(checks) {
		t.Errorf("%d findings of %d checks", len(all), len(checks))
	}
	for _, f := range all {
		if f.Severity != OK || f.Mend != "" || f.Fixable || f.Reason == "" {
			t.Errorf("%+v", f)
		}
	}
}

// TestChecks changes one fact of a sound installation at a time: one check finds it, and no other.
func TestChecks(t *testing.T) {
	for _, c := range []struct {
		name     string
		change   func(*Facts)
		id       string
		severity Severity
		mend     string // part of it
		fixable  bool
	}{
		{"no daemon", func(f *Facts) { f.Daemon.Answers = false }, "daemon.running", Note, "daemon start", false},
		{"a daemon without a socket", func(f *Facts) { f.Daemon.Answers, f.Daemon.Holder = false, 7 }, "daemon.running", Problem, "daemon restart", false},
		{"another version", func(f *Facts) { f.Daemon.Version = "1.1.0" }, "daemon.version", Warning, "daemon restart", false},
		{"degraded", func(f *Facts) { f.Daemon.Degraded = "history is not trimmed" }, "daemon.health", Warning, "daemon status", false},
		{"a component fails", func(f *Facts) { f.Daemon.Ill = []Ill{{"journal", "no space"}} }, "daemon.health", Problem, "daemon status", false},
		{"no health", func(f *Facts) { f.Daemon.Err = errors.New("lost") }, "daemon.health", Problem, "daemon status", false},
		{"a socket for all", func(f *Facts) { f.Socket.Mode |= 0o050 }, "socket.directory", Problem, "chmod 700", true},
		{"a state directory for all", func(f *Facts) { f.State.Mode |= 0o001 }, "state.directory", Problem, "chmod 700", true},
		{"a foreign state directory", func(f *Facts) { f.State.Mine = false }, "state.directory", Problem, "chown", false},
		{"a network disk", func(f *Facts) { f.State.Filesystem = "NFS" }, "state.filesystem", Problem, "--state-dir", false},
		{"a disk in memory", func(f *Facts) { f.State.Volatile = true }, "state.filesystem", Warning, "--state-dir", false},
		{"a full disk", func(f *Facts) { f.Space.Free = 100 << 20 }, "state.space", Problem, "journal stats", false},
		{"a disk that fills", func(f *Facts) { f.Space.Free = 600 << 20 }, "state.space", Warning, "journal stats", false},
		{"a clock that is behind", func(f *Facts) { f.Newest = noon.Add(time.Hour) }, "clock", Warning, "timedatectl", false},
		{"no agent", func(f *Facts) { f.Agent = Agent{Program: "claude", Search: "/bin"} }, "agent.path", Problem, "npm install", false},
		{"a wrong path", func(f *Facts) { f.Agent = Agent{Program: "/opt/claude"} }, "agent.path", Problem, "agent.path", false},
		{"a wrong variable", func(f *Facts) { f.Agent = Agent{Program: "/opt/claude", Variable: agentVariable} }, "agent.path", Problem, "unset BETCODE_CLAUDE", false},
		{"a silent agent", func(f *Facts) { f.Agent.Version = "" }, "agent.version", Problem, "--version", false},
		{"an old agent", func(f *Facts) { f.Agent.Version, f.Agent.Grade = "1.0.24", claudecode.Level("1.0.24") }, "agent.version", Problem, claudecode.UpgradeCommand(), false},
		{"no login", func(f *Facts) { f.Login = Login{} }, "agent.login", Problem, "/login", false},
		{"a login that cannot be seen", func(f *Facts) { f.Login = Login{Hidden: true} }, "agent.login", Note, "auth status", false},
		{"a fence that cannot be", func(f *Facts) { f.Kernel.Landlock, f.Kernel.FenceWanted = 0, true }, "kernel.fence", Problem, "agent.fence", false},
		{"no memory controller", func(f *Facts) { f.Kernel.MemoryControl, f.Kernel.MemoryWanted = false, true }, "kernel.memory", Warning, "service install", false},
		{"few inotify instances", func(f *Facts) { f.Kernel.Instances = 16 }, "kernel.inotify", Warning, "sysctl", false},
		{"few inotify watches", func(f *Facts) { f.Kernel.Watches = 1024 }, "kernel.inotify", Warning, "sysctl", false},
		{"no service", func(f *Facts) { f.Service.Unit = "" }, "service.unit", Note, "service install", false},
		{"no linger", func(f *Facts) { f.Service.Lingering = false }, "service.linger", Warning, "enable-linger", true},
	} {
		facts := sound()
		c.change(&facts)
		for _, f := range Diagnose(facts) {
			switch {
			case f.ID != c.id && f.Severity != OK:
				t.Errorf("%s: another check finds %+v", c.name, f)
			case f.ID == c.id && (f.Severity != c.severity || f.Fixable != c.fixable || !strings.Contains(f.Mend, c.mend) || strings.Contains(f.Reason, "%!")):
				t.Errorf("%s: %+v", c.name, f)
			}
		}
	}
}

// A daemon on another machine has another disk and another agent.
func TestRemoteDaemon(t *testing.T) {
	facts := Facts{Daemon: Daemon{Socket: "host:1", Remote: true, Answers: true}}
	for _, f := range Diagnose(facts) {
		if !strings.HasPrefix(f.ID, "daemon.") || f.Severity != OK {
			t.Errorf("%+v", f)
		}
	}
}

func TestOrphans(t *testing.T) {
	facts := sound()
	facts.Daemon.Answers, facts.Orphans = false, 2
	for _, f := range Diagnose(facts) {
		if f.ID == "agents.orphans" && (f.Severity != Warning || f.Mend != "betcode daemon start") {
			t.Errorf("%+v", f)
		}
	}
}

func TestApplyClosesADirectory(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("directories have no mode on Windows")
	}
	open := filepath.Join(t.TempDir(), "open")
	if err := os.Mkdir(open, 0o755); err != nil {
		t.Fatal(err)
	}
	link := open + ".link"
	if err := os.Symlink(open, link); err != nil {
		t.Fatal(err)
	}
	if err := Apply(t.Context(), Finding{ID: "state.directory", fix: fix{private: link}}); err == nil {
		t.Error("a link was followed")
	}
	if err := Apply(t.Context(), Finding{ID: "state.directory", fix: fix{private: open}}); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(open); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := Apply(t.Context(), Finding{ID: "clock"}); err == nil {
		t.Error("a finding without a fix was mended")
	}
}
