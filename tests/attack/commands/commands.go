package commands

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"betcode/tests/attack/siege"
)

// Scenarios lists the scenarios of this package in the order in which they start.
var Scenarios = []siege.Scenario{
	{Name: "commands: files that are sent", Attack: attackAttachments},
	{Name: "commands: names in completions", Attack: attackCompletions},
	{Name: "commands: pages of the manual", Attack: attackManual},
	{Name: "commands: files of the state directory", Attack: attackStateFiles},
	{Name: "commands: files of an installation", Attack: attackInstallation},
	{Name: "commands: a relative search path", Settings: `{"feature_flags": {"worktree_management": true}}`, Env: []string{"PATH=.::bin:" + os.Getenv("PATH")}, Before: siege.SetUpRepository, Attack: attackRelativePath},
	{Name: "commands: children of an agent", Attack: attackCommandsOfChildren},
}

// patience is for commands that take milliseconds.
const patience = time.Minute

// ends runs the command line, and reports whether it ends without being killed.
func ends(s *siege.Siege, args ...string) (printed string, code int, ended bool) {
	ctx, cancel := context.WithTimeout(s, patience)
	defer cancel()
	command := exec.CommandContext(ctx, s.World.Binary, args...)
	command.Env, command.Dir = s.World.Environ(), s.World.Project
	out, err := command.CombinedOutput()
	if command.ProcessState == nil {
		s.Fail("run betcode %s: %v", strings.Join(args, " "), err)
	}
	return string(out), command.ProcessState.ExitCode(), ctx.Err() == nil
}

// attackAttachments sends files with a prompt that are no files, or have no end.
func attackAttachments(s *siege.Siege) {
	link := func(name, to string) string {
		s.Must(os.Symlink(to, s.Project(name)), "link")
		return s.Project(name)
	}
	s.Pipe(s.Project("pipe.txt"))
	s.Sparse(s.Project("large.txt"))
	for name, file := range map[string]string{
		"a pipe": s.Project("pipe.txt"), "a link to a pipe": link("piped.txt", "pipe.txt"), "a device": "/dev/zero", "a link to a device": link("zero.txt", "/dev/zero"),
		"a directory": s.World.Project, "a large file": s.Project("large.txt"), "a link to a large file": link("linked.txt", "large.txt"),
		"its own memory": "/proc/self/mem", "a link to itself": link("loop.txt", "loop.txt"), "a terminal": "/dev/tty",
	} {
		printed, code, ended := ends(s, "run", "--name", "files", "--attach", file, "echo:hello")
		s.Held(name+" is not sent", ended && code != 0 && siege.Plain(printed), "exit %d: %q", code, printed)
	}

	grows, stop, stopped := s.Project("grows.txt"), make(chan struct{}), make(chan struct{})
	s.Write(grows, "x")
	go func() { // appends while the command reads
		defer close(stopped)
		file, err := os.OpenFile(grows, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return
		}
		defer file.Close()
		piece := bytes.Repeat([]byte{'x'}, 1<<20)
		for range 256 {
			select {
			case <-stop:
				return
			default:
				if _, err := file.Write(piece); err != nil {
					return
				}
			}
		}
	}()
	printed, code, ended := ends(s, "run", "--name", "files", "--attach", grows, "echo:hello")
	close(stop)
	<-stopped
	s.Held("a file that grows ends", ended, "exit %d: %q", code, printed)

	list, _ := s.Cli("session", "list", "-o", "name")
	before := strings.Count(list, "\n")
	s.Write(s.Project("good.txt"), "text")
	printed, code = s.Cli("run", "--name", "files", "--attach", link("good link.txt", "good.txt"), "echo:hello")
	list, _ = s.Cli("session", "list", "-o", "name")
	s.Held("a link to a file is sent", code == 0 && strings.Count(list, "\n") == before+1, "exit %d: %s; sessions before: %d", code, printed, before)
}

// attackCompletions names sessions so that a shell that completes them would run something.
func attackCompletions(s *siege.Siege) {
	ran := s.Mark("ran")
	s.Must(os.MkdirAll(filepath.Dir(ran), 0o700), "make a directory")
	for _, name := range []string{
		"$(touch " + ran + ")", "`touch " + ran + "`", "a;touch " + ran, "a'$(touch " + ran + ")'", "a\"b", "a b", "--yes", "\\", "*", "~root", "!!",
		"a\x1b]0;owned\x07", "a\u202eb", "a\nb", "a\tb",
	} {
		_, _ = s.Cli("new", "--name", name) // the daemon may refuse a name
	}
	c := s.Converse("person", siege.NewSession())
	s.RunTurn(c, "echo:$(touch "+ran+") \x1b[2J\u202e")
	s.Must(os.MkdirAll(s.Project("$(touch ran)\x1b[2J"), 0o700), "make a directory")
	_, code := s.Cli("new", "--cwd", s.Project("$(touch ran)\x1b[2J"), "--name", "there")
	s.Held("a session in a directory with such a name", code == 0, "exit %d", code)

	offered := ""
	s.Becomes(func() bool { // completion gives the daemon 50 ms
		offered, code = s.Cli("__complete", "session", "show", "")
		return strings.Contains(offered, "there\t")
	})
	s.Held("candidates are plain lines", code == 0 && siege.Plain(offered) && strings.Contains(offered, "there\t"), "exit %d: %q", code, offered)
	fits := true
	for line := range strings.Lines(offered) {
		fits = fits && strings.Count(line, "\t") == 1 && !strings.HasPrefix(line, "-")
	}
	s.Held("each candidate is one value, and no flag", fits, "%q", offered)
	script := `source <(betcode completion bash)
for i in $(seq 100); do
  COMP_LINE="betcode session show "; COMP_POINT=${#COMP_LINE}; _betcode
  (( ${#COMPREPLY[@]} > 0 )) && break
done
for word in "${COMPREPLY[@]}"; do eval "echo $word" >/dev/null; done
echo "completed ${#COMPREPLY[@]}"`
	shell := exec.CommandContext(s, "bash", "-c", script)
	shell.Env, shell.Dir = append(s.World.Environ(), "PATH="+filepath.Dir(s.World.Binary)+":"+os.Getenv("PATH")), s.World.Project
	out, err := shell.CombinedOutput()
	s.Held("bash completes", err == nil && strings.Contains(string(out), "completed ") && !strings.Contains(string(out), "completed 0"), "%v: %s", err, out)
	s.Held("bash runs nothing of what it completes", !s.Exists(ran) && !s.Exists(s.Project("ran")), "a name was run")
	otherShells(s, ran)
	printed, code, ended := ends(s, append([]string{"__complete"}, strings.Split(strings.Repeat("x ", 10_000), " ")...)...)
	s.Held("a line without end", ended && code == 0, "exit %d: %.100q", code, printed)
}

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

// attackStateFiles puts pipes, links and large files in the place of small files that commands read in the state directory.
func attackStateFiles(s *siege.Siege) {
	c := s.Converse("person", siege.NewSession())
	s.RunTurn(c, "echo:hello")
	for file, args := range map[string][]string{"looked": {"digest"}, "other.log": {"daemon", "logs", "-n", "1", "--log-file", filepath.Join(s.World.StateDir(), "other.log")}} {
		path := filepath.Join(s.World.StateDir(), file)
		s.Pipe(path)
		_, _, ended := ends(s, args...)
		s.Held("a pipe in the place of "+file, ended, "the command waits for it")
		s.Sparse(path)
		_, _, ended = ends(s, args...)
		s.Held("a large file in the place of "+file, ended, "the command reads it")
		s.Must(os.Remove(path), "remove a file")
		s.Must(os.Symlink("/dev/zero", path), "link")
		_, _, ended = ends(s, args...)
		s.Held("a device in the place of "+file, ended, "the command reads it")
	}
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
