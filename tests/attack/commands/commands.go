package commands

import (
	"bytes"
	"context"
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

	list, _ := s.Cli("session", "list", "-o", "name") // with "files", if the command was faster than the growth
	before := strings.Count(list, "\n")
	s.Write(s.Project("good.txt"), "text")
	printed, code = s.Cli("run", "--name", "linked", "--attach", link("good link.txt", "good.txt"), "echo:hello")
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
