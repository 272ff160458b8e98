package commands

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"betcode/tests/attack/siege"
)

// attackManual puts links in the way of pages of man, which a person installs.
func attackManual(s *siege.Siege) {
	away, share := filepath.Join(s.World.Root, "away"), filepath.Join(s.World.Root, "man")
	s.Must(os.MkdirAll(away, 0o700), "make a directory")
	s.Must(os.MkdirAll(filepath.Join(share, "man1"), 0o755), "make a directory")
	s.Write(filepath.Join(away, "file"), "old")
	page := filepath.Join(share, "man1", "betcode.1")
	s.Must(os.Symlink(filepath.Join(away, "file"), page), "link")
	printed, code := s.Cli("__manual", share)
	info, err := os.Lstat(page)
	s.Held("a page takes the place of a link", code == 0 && err == nil && info.Mode().IsRegular() && s.Contains(page, ".TH"), "exit %d: %s; %v, %v", code, printed, info, err)
	s.Held("nothing is written behind the link", s.Contains(filepath.Join(away, "file"), "old"), "it was changed")

	s.Must(os.RemoveAll(filepath.Join(share, "man1")), "remove the pages")
	s.Must(os.Symlink(away, filepath.Join(share, "man1")), "link")
	printed, code = s.Cli("__manual", share)
	names, err := os.ReadDir(away)
	s.Held("no directory is entered behind a link", code != 0 && err == nil && len(names) == 1, "exit %d: %s; %v", code, printed, names)

	s.Pipe(filepath.Join(s.World.Root, "pipes", "man1", "betcode.1"))
	_, code, ended := ends(s, "__manual", filepath.Join(s.World.Root, "pipes"))
	s.Held("a page takes the place of a pipe", ended && code == 0, "exit %d", code)
	_, code = s.Cli("__manual")
	s.Held("a directory has to be named", code != 0 && !s.Exists(s.Project("man1")), "exit %d", code)
	printed, code = s.Cli("__manual", filepath.Join(s.World.Root, "\x1b]0;owned\x07"))
	s.Held("a name that deceives is shown", code != 0 && siege.Plain(printed), "exit %d: %q", code, printed)
}

// attackInstallation puts links and pipes in the place of files that setting up reads and writes.
func attackInstallation(s *siege.Siege) {
	away := filepath.Join(s.World.Root, "away")
	s.Write(filepath.Join(away, "profile"), "old")
	s.Must(os.Chmod(away, 0o755), "open a directory") //nolint:gosec // that is what doctor would close

	script := filepath.Join(s.World.Home, ".local", "share", "bash-completion", "completions", "betcode")
	unit := filepath.Join(s.World.Home, ".config", "systemd", "user", "betcode.service")
	for _, path := range []string{script, unit} {
		s.Must(os.MkdirAll(filepath.Dir(path), 0o700), "make a directory")
		s.Must(os.Symlink(filepath.Join(away, "profile"), path), "link")
	}
	printed, code := s.Cli("completion", "bash", "--install")
	s.Held("a completion takes the place of a link", code == 0 && s.Contains(script, "complete") && s.Contains(filepath.Join(away, "profile"), "old"), "exit %d: %s", code, printed)
	printed, code = s.Cli("service", "install")
	s.Held("a unit that is a link is kept", code != 0 && s.Contains(filepath.Join(away, "profile"), "old"), "exit %d: %s", code, printed)
	s.Must(os.Remove(unit), "remove a link")
	s.Pipe(unit)
	for _, args := range [][]string{{"service", "install"}, {"service", "status"}, {"doctor"}} {
		_, _, ended := ends(s, args...)
		s.Held("a pipe in the place of the unit: "+args[0], ended, "the command waits for it")
	}

	for _, name := range []string{".claude/.credentials.json", ".claude/settings.json", ".claude.json"} {
		path := filepath.Join(s.World.Home, name)
		_ = os.Remove(path) // it may be missing
		s.Pipe(path)
		for _, args := range [][]string{{"doctor"}, {"init", "--yes"}, {"import", "--dry-run"}} {
			printed, code, ended := ends(s, args...)
			s.Held("a pipe in the place of "+name+": "+args[0], ended && siege.Plain(printed), "exit %d: %q", code, printed)
		}
		s.Must(os.Remove(path), "remove a pipe")
	}

	linked := filepath.Join(s.World.Root, "linked")
	s.Must(os.Symlink(away, linked), "link")
	printed, _ = s.Cli("--socket", filepath.Join(linked, "s"), "doctor", "--fix")
	info, err := os.Stat(away)
	s.Held("doctor closes no directory behind a link", err == nil && info.Mode().Perm() == 0o755 && strings.Contains(printed, "socket.directory"), "%v, %v: %s", info, err, printed)
}

// peopleOnly are commands that change the installation of a person.
var peopleOnly = []string{
	"service install", "service install --force --linger", "service uninstall", "doctor --fix", "init --yes",
	"daemon restart --environment", "daemon restart", "daemon stop",
}

// attackCommandsOfChildren has a child of an agent change the installation, with an environment that hides where it comes from and
// with programs of its own in PATH.
func attackCommandsOfChildren(s *siege.Siege) {
	s.Must(os.MkdirAll(s.Mark(""), 0o700), "make a directory")
	bin := s.Project("bin")
	for _, name := range []string{"systemctl", "loginctl", "launchctl"} {
		s.Write(filepath.Join(bin, name), "#!/bin/sh\necho \"$0 $*\" >>"+s.Mark("managed")+"\n")
		s.Must(os.Chmod(filepath.Join(bin, name), 0o700), "make a program")
	}
	pid := s.Daemon.PID()
	var calls strings.Builder
	ways := []string{"env", "env -i"}
	for way, env := range ways {
		for i, args := range peopleOnly {
			fmt.Fprintf(&calls, "%s HOME=%q XDG_STATE_HOME=%q PATH=%q:\"$PATH\" ANTHROPIC_BASE_URL=http://127.0.0.1:1 %q --socket %q %s >%d.%d 2>&1 </dev/null; echo \"exit $?\" >>%d.%d\n",
				env, s.World.Home, filepath.Join(s.World.Root, "state"), bin, s.World.Binary, s.World.Socket(), args, way, i, way, i)
		}
	}
	calls.WriteString("touch done\n")
	s.Write(s.Project("call.sh"), calls.String())
	c := s.Converse("a", siege.NewSession())
	s.RunTurn(c, "run:sh call.sh")
	if !s.Becomes(func() bool { return s.Exists(s.Project("done")) }) {
		s.Fail("the child does not come to its end")
	}
	for way, from := range ways {
		for i, args := range peopleOnly {
			out, err := os.ReadFile(s.Project(fmt.Sprintf("%d.%d", way, i)))
			s.Must(err, "read what a command printed")
			s.Held(from+" may not: "+args, !strings.Contains(string(out), "exit 0\n"), "%s", out)
		}
	}
	managed, _ := os.ReadFile(s.Mark("managed"))
	s.Held("no service manager was called", !strings.Contains(string(managed), "enable") && !strings.Contains(string(managed), "restart"), "%s", managed)
	units, _ := filepath.Glob(filepath.Join(s.World.Home, ".config", "systemd", "user", "*"))
	s.Held("there is no service", len(units) == 0, "%v", units)
	_, code := s.Cli("health")
	s.Held("the same daemon serves", code == 0 && !s.Daemon.Ended() && s.Daemon.PID() == pid, "exit %d", code)
}
