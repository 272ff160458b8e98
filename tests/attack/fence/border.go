package fence

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/attack/siege"
	"betcode/tests/kit"
)

// borderScenarios attack the border of a fence, and the paths from which it is built.
var borderScenarios = []siege.Scenario{
	{Name: "fence: a working directory that becomes a link", Real: true, Settings: `{"agent": {"fence": "project"}}`, Before: outside, Attack: fencedLink},
	{Name: "fence: a link in place of another session's directory", Real: true, Settings: `{"agent": {"fence": "project"}}`, Before: outside, Attack: fencedNeighbour},
	{Name: "fence: ways across the border", Real: true, Settings: `{"agent": {"fence": "project"}}`, Before: outside, Attack: fencedBorder},
}

// fencedLink: an agent in a subdirectory of a repository, which it may write to as a whole, replaces its own working directory by
// a link. Its next fence must not include the target of the link.
func fencedLink(s *siege.Siege) {
	if !s.CanFence() {
		s.Held("the kernel cannot fence, and no agent is started", true, "")
		return
	}
	id, away := siege.NewSession(), filepath.Join(s.World.Root, "outside")
	s.Write(s.Project(".git/HEAD"), "ref: refs/heads/main\n")
	s.Must(os.MkdirAll(s.Project("sub"), 0o700), "make the working directory")
	c := s.ConverseWith("a", &pb.StartConversation{SessionId: id, WorkingDirectory: s.Project("sub")})
	s.RunTurn(c, fmt.Sprintf("bash: mv %s %s && ln -s %s %s", s.Project("sub"), s.Project("moved"), away, s.Project("sub")))
	link, err := os.Readlink(s.Project("sub"))
	if err != nil || link != away {
		s.Fail("the agent made no link: %q, %v", link, err)
	}
	from := len(c.Events())
	_, _ = s.Cli("session", "restart", id)
	s.Say(c, "bash: echo attack >"+filepath.Join(away, "file"))
	e, _ := s.Wait(c, from, func(e kit.Event) bool {
		return e.GetError().GetCode() == "FENCE_REFUSED" || kit.IsPermission(e) || kit.IsTurnComplete(e)
	})
	if kit.IsPermission(e) {
		at := len(c.Events())
		s.Must(c.Answer(e.GetPermissionRequest().GetRequestId(), pb.PermissionDecision_ALLOW_ONCE, ""), "allow")
		s.Wait(c, at, kit.IsTurnComplete)
	}
	s.Held("the next fence does not hold what the link names", s.Contains(filepath.Join(away, "file"), "old"), "the file outside was written: %s", kit.Line(e))
	s.Held("no agent is started, and people are told why", strings.Contains(e.GetError().GetDetails()["reason"], s.Project("sub")), "%s", kit.Line(e))
}

// fencedNeighbour: an agent replaces the working directory of another session, which has not started an agent yet, by a link. The
// fence of that session must not include the target of the link.
func fencedNeighbour(s *siege.Siege) {
	if !s.CanFence() {
		s.Held("the kernel cannot fence, and no agent is started", true, "")
		return
	}
	above, below, away := siege.NewSession(), siege.NewSession(), filepath.Join(s.World.Root, "outside")
	s.Must(os.MkdirAll(s.Project("sub"), 0o700), "make the working directory")
	victim := s.ConverseWith("b", &pb.StartConversation{SessionId: below, WorkingDirectory: s.Project("sub")})
	s.Wait(victim, 0, func(e kit.Event) bool { return e.GetSessionInfo() != nil }) // the session exists
	c := s.ConverseWith("a", &pb.StartConversation{SessionId: above, WorkingDirectory: s.Project("")})
	s.RunTurn(c, fmt.Sprintf("bash: mv %s %s && ln -s %s %s", s.Project("sub"), s.Project("moved"), away, s.Project("sub")))
	if link, err := os.Readlink(s.Project("sub")); err != nil || link != away {
		s.Fail("the agent made no link: %q, %v", link, err)
	}
	from := len(victim.Events())
	s.Say(victim, "bash: echo attack >"+filepath.Join(away, "file"))
	e, _ := s.Wait(victim, from, func(e kit.Event) bool {
		return e.GetError().GetCode() == "FENCE_REFUSED" || kit.IsPermission(e) || kit.IsTurnComplete(e)
	})
	s.Held("the fence is not built around what the link names", s.Contains(filepath.Join(away, "file"), "old"), "the file outside was written: %s", kit.Line(e))
	s.Held("no agent is started, and people are told why", strings.Contains(e.GetError().GetDetails()["reason"], "led to"), "%s", kit.Line(e))
}

// fencedBorder has a fenced agent try the ways around the names of files.
func fencedBorder(s *siege.Siege) {
	if !s.CanFence() {
		s.Held("the kernel cannot fence, and no agent is started", true, "")
		return
	}
	other, id := siege.NewSession(), siege.NewSession()
	away := filepath.Join(s.World.Root, "outside")
	file := filepath.Join(away, "file")
	c := s.Converse("b", other)
	s.RunTurn(c, "say: hello")
	c = s.Converse("a", id)
	s.RunTurn(c, "say: hello")
	fifo := filepath.Join(s.World.StateDir(), "runs", other, "1", "stdin")
	tries := [][2]string{
		{"it empties no file outside", ": >" + file},
		{"it truncates no file outside", "truncate -s 0 " + file},
		{"it moves nothing out", "echo x >m && mv -n m " + away + "/m && test -e " + away + "/m"},
		{"it moves nothing in", "mv " + file + " stolen && test ! -e " + file},
		{"it exchanges nothing", "echo attack >e && mv --exchange -T e " + file},
		{"it links nothing in", "ln " + file + " hard"},
		{"it links nothing out", "echo x >l && ln l " + away + "/l"},
		{"it makes no directory outside", "mkdir " + away + "/d"},
		{"it makes no FIFO outside", "mkfifo " + away + "/p"},
		{"it makes no socket's link outside", "ln -s x " + away + "/s"},
		{"it removes no directory outside", "mkdir -p x && rmdir " + s.World.ConfigDir() + "/empty"},
		{"not through /proc/self/root", "echo attack >/proc/self/root" + file},
		{"not through another's root", fmt.Sprintf("echo attack >/proc/%d/root%s", s.Daemon.PID(), file)},
		{"not through another's working directory", fmt.Sprintf("for p in /proc/[0-9]*; do (echo attack >$p/cwd%s) 2>/dev/null && exit 0; done; exit 1", file)},
		{"not from a user namespace", "unshare -Ur sh -c 'echo attack >" + file + "'"},
		{"not from a mount of its own", "mkdir -p mnt && unshare -Urm sh -c 'mount --bind " + away + " mnt && echo attack >mnt/file'"},
		{"not another's FIFO through a descriptor", "for p in /proc/[0-9]*; do for f in $p/fd/*; do if [ \"$(readlink $f)\" = " + fifo + " ]; then (: 1<>$f) 2>/dev/null && exit 0; fi; done; done; exit 1"},
	}
	var script strings.Builder
	for i, try := range tries {
		fmt.Fprintf(&script, "if ( %s ) >/dev/null 2>&1; then echo %d >>crossed; fi\n", try[1], i)
	}
	script.WriteString("touch done\n")
	s.Must(os.MkdirAll(filepath.Join(s.World.ConfigDir(), "empty"), 0o700), "make a directory")
	s.Write(s.Project("border.sh"), script.String())
	s.RunTurn(c, "bash: sh border.sh")
	s.Held("it works in its project", s.Exists(s.Project("done")), "it cannot")
	raw, _ := os.ReadFile(s.Project("crossed"))
	did := "\n" + string(raw)
	for i, try := range tries {
		s.Held(try[0], !strings.Contains(did, fmt.Sprintf("\n%d\n", i)), "%s", try[1])
	}
	names, err := os.ReadDir(away)
	s.Held("what is outside is as it was", err == nil && len(names) == 1 && s.Contains(file, "old"), "%v, %v", names, err)
	var info syscall.Stat_t
	s.Must(syscall.Stat(file, &info), "look at the file outside")
	s.Held("it has no other name", info.Nlink == 1, "it has %d", info.Nlink)
}
