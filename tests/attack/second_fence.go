package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// secondFenceScenarios attack the border of a fence, and what it is built from.
var secondFenceScenarios = []scenario{
	{name: "fence: a working directory that becomes a link", real: true, settings: `{"agent": {"fence": "project"}}`, before: outside, attack: fencedLink},
	{name: "fence: a link in place of another session's directory", real: true, settings: `{"agent": {"fence": "project"}}`, before: outside, attack: fencedNeighbour},
	{name: "fence: ways across the border", real: true, settings: `{"agent": {"fence": "project"}}`, before: outside, attack: fencedBorder},
}

// fencedLink has an agent in a subdirectory of a repository, all of which it may write to,
// put a link in the place of its own working directory. Its next fence must not be built
// around what the link names.
func fencedLink(s *siege) {
	if !s.canFence() {
		s.held("the kernel cannot fence, and no agent is started", true, "")
		return
	}
	id, away := session(), filepath.Join(s.world.Root, "outside")
	s.write(s.project(".git/HEAD"), "ref: refs/heads/main\n")
	s.must(os.MkdirAll(s.project("sub"), 0o700), "make the working directory")
	c := s.converseWith("a", &pb.StartConversation{SessionId: id, WorkingDirectory: s.project("sub")})
	s.runTurn(c, fmt.Sprintf("bash: mv %s %s && ln -s %s %s", s.project("sub"), s.project("moved"), away, s.project("sub")))
	link, err := os.Readlink(s.project("sub"))
	if err != nil || link != away {
		s.fail("the agent made no link: %q, %v", link, err)
	}
	from := len(c.Events())
	_, _ = s.cli("session", "restart", id)
	s.say(c, "bash: echo attack >"+filepath.Join(away, "file"))
	e, _ := s.wait(c, from, func(e kit.Event) bool {
		return e.GetError().GetCode() == "FENCE_REFUSED" || kit.IsPermission(e) || kit.IsTurnComplete(e)
	})
	if kit.IsPermission(e) {
		at := len(c.Events())
		s.must(c.Answer(e.GetPermissionRequest().GetRequestId(), pb.PermissionDecision_ALLOW_ONCE, ""), "allow")
		s.wait(c, at, kit.IsTurnComplete)
	}
	s.held("the next fence does not hold what the link names", s.contains(filepath.Join(away, "file"), "old"), "the file outside was written: %s", kit.Line(e))
	s.held("no agent is started, and people are told why", strings.Contains(e.GetError().GetDetails()["reason"], s.project("sub")), "%s", kit.Line(e))
}

// fencedNeighbour has an agent put a link in the place of the working directory of another session, which has not started
// an agent yet. The fence of that session must not be built around what the link names.
func fencedNeighbour(s *siege) {
	if !s.canFence() {
		s.held("the kernel cannot fence, and no agent is started", true, "")
		return
	}
	above, below, away := session(), session(), filepath.Join(s.world.Root, "outside")
	s.must(os.MkdirAll(s.project("sub"), 0o700), "make the working directory")
	victim := s.converseWith("b", &pb.StartConversation{SessionId: below, WorkingDirectory: s.project("sub")})
	s.wait(victim, 0, func(e kit.Event) bool { return e.GetSessionInfo() != nil }) // the session exists
	c := s.converseWith("a", &pb.StartConversation{SessionId: above, WorkingDirectory: s.project("")})
	s.runTurn(c, fmt.Sprintf("bash: mv %s %s && ln -s %s %s", s.project("sub"), s.project("moved"), away, s.project("sub")))
	if link, err := os.Readlink(s.project("sub")); err != nil || link != away {
		s.fail("the agent made no link: %q, %v", link, err)
	}
	from := len(victim.Events())
	s.say(victim, "bash: echo attack >"+filepath.Join(away, "file"))
	e, _ := s.wait(victim, from, func(e kit.Event) bool {
		return e.GetError().GetCode() == "FENCE_REFUSED" || kit.IsPermission(e) || kit.IsTurnComplete(e)
	})
	s.held("the fence is not built around what the link names", s.contains(filepath.Join(away, "file"), "old"), "the file outside was written: %s", kit.Line(e))
	s.held("no agent is started, and people are told why", strings.Contains(e.GetError().GetDetails()["reason"], "led to"), "%s", kit.Line(e))
}

// fencedBorder has a fenced agent try the ways around the names of files.
func fencedBorder(s *siege) {
	if !s.canFence() {
		s.held("the kernel cannot fence, and no agent is started", true, "")
		return
	}
	other, id := session(), session()
	away := filepath.Join(s.world.Root, "outside")
	file := filepath.Join(away, "file")
	c := s.converse("b", other)
	s.runTurn(c, "say: hello")
	c = s.converse("a", id)
	s.runTurn(c, "say: hello")
	fifo := filepath.Join(s.world.StateDir(), "runs", other, "1", "stdin")
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
		{"it removes no directory outside", "mkdir -p x && rmdir " + s.world.ConfigDir() + "/empty"},
		{"not through /proc/self/root", "echo attack >/proc/self/root" + file},
		{"not through another's root", fmt.Sprintf("echo attack >/proc/%d/root%s", s.daemon.PID(), file)},
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
	s.must(os.MkdirAll(filepath.Join(s.world.ConfigDir(), "empty"), 0o700), "make a directory")
	s.write(s.project("border.sh"), script.String())
	s.runTurn(c, "bash: sh border.sh")
	s.held("it works in its project", s.exists(s.project("done")), "it cannot")
	raw, _ := os.ReadFile(s.project("crossed"))
	did := "\n" + string(raw)
	for i, try := range tries {
		s.held(try[0], !strings.Contains(did, fmt.Sprintf("\n%d\n", i)), "%s", try[1])
	}
	names, err := os.ReadDir(away)
	s.held("what is outside is as it was", err == nil && len(names) == 1 && s.contains(file, "old"), "%v, %v", names, err)
	var info syscall.Stat_t
	s.must(syscall.Stat(file, &info), "look at the file outside")
	s.held("it has no other name", info.Nlink == 1, "it has %d", info.Nlink)
}
