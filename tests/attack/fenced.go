package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// outside makes what a fenced agent is not to touch.
func outside(s *siege) {
	s.write(filepath.Join(s.world.Root, "outside", "file"), "old")
}

// canFence reports whether the kernel can fence at all, by the daemon's own word.
func (s *siege) canFence() bool {
	printed, _ := s.cli("daemon", "status")
	return !strings.Contains(printed, "fence_unavailable") && !strings.Contains(printed, "this system cannot")
}

// tries are commands of a fenced agent: the name of a case, and what must not succeed.
func (s *siege) tries(id, other string) [][2]string {
	runs := filepath.Join(s.world.StateDir(), "runs")
	file := filepath.Join(s.world.Root, "outside", "file")
	return [][2]string{
		{"it writes no file outside", "echo attack >" + file},
		{"it makes no file outside", "echo attack >" + file + ".new"},
		{"it removes no file outside", "rm -f " + file + " && test ! -e " + file},
		{"a link leads nowhere", "ln -s " + file + " link && echo attack >link"},
		{"it writes nothing to the daemon's state", "echo attack >" + s.world.StateDir() + "/x"},
		{"it writes nothing to the daemon's settings", "echo {} >" + s.world.ConfigDir() + "/settings.json"},
		{"it cannot open its own FIFO", ": 1<>" + filepath.Join(runs, id, "1", "stdin")},
		{"it cannot open another agent's FIFO", ": 1<>" + filepath.Join(runs, other, "1", "stdin")},
		{"nor its own through /proc", "for p in /proc/[0-9]*; do if [ \"$(readlink $p/fd/0)\" = " + filepath.Join(runs, id, "1", "stdin") + " ] && : 1<>$p/fd/0; then exit 0; fi; done; exit 1"},
		{"it writes no lies into its spool", "echo x >>" + filepath.Join(runs, id, "1", "stdout")},
		{"it cannot signal the daemon", fmt.Sprintf("kill -0 %d", s.daemon.PID())},
		{"nor its launcher", "kill -0 $(pgrep -o -f ^betcode-launch || echo 1)"},
		{"it cannot write to the daemon's memory", fmt.Sprintf(": 1<>/proc/%d/mem", s.daemon.PID())},
		{"it takes no descriptor of the daemon", fmt.Sprintf("readlink /proc/%d/fd/3", s.daemon.PID())},
		{"an orphan with a clean environment writes nothing either", "env -i setsid -f sh -c 'echo attack >" + file + "' ; sleep 0.3; grep -q attack " + file},
	}
}

func fenced(s *siege) {
	if !s.canFence() {
		s.held("the kernel cannot fence, and no agent is started", true, "")
		return
	}
	other, id := session(), session()
	c := s.converse("b", other)
	s.runTurn(c, "say: hello")
	c = s.converse("a", id)
	s.runTurn(c, "say: hello")
	var script strings.Builder
	tries := s.tries(id, other)
	for i, try := range tries {
		fmt.Fprintf(&script, "if ( %s ) >/dev/null 2>&1; then echo %d >>succeeded; fi\n", try[1], i)
	}
	script.WriteString("echo inside >inside; mkdir -p d && mv inside d/ && echo $TMPDIR >\"$TMPDIR/x\" && touch done\n")
	s.write(s.project("tries.sh"), script.String())
	s.runTurn(c, "bash: sh tries.sh")
	s.held("it works in its project and its temporary directory", s.exists(s.project("done")) && s.exists(s.project("d/inside")), "it cannot")
	raw, _ := os.ReadFile(s.project("succeeded"))
	did := "\n" + string(raw)
	for i, try := range tries {
		s.held(try[0], !strings.Contains(did, fmt.Sprintf("\n%d\n", i)), "%s", try[1])
	}
	s.held("what is outside is as it was", s.contains(filepath.Join(s.world.Root, "outside", "file"), "old"), "it is not")
	for _, show := range [][]string{{"session", "show", id}, {"tree"}, {"daemon", "status"}} {
		printed, _ := s.cli(show...)
		s.held(strings.Join(show[:min(2, len(show))], " ")+" says that it is fenced", strings.Contains(printed, "project") || strings.Contains(printed, "2 agents fenced"), "%s", printed)
	}
	// Its memory is kept: the next agent of the session knows the conversation.
	printed, code := s.cli("session", "restart", id)
	s.held("it is started again in its fence", code == 0, "%s", printed)
	s.runTurn(c, "say: again")
}

// runTurn sends a message, allows what is asked, and waits for the end of the turn.
func (s *siege) runTurn(c *kit.Stream, text string) {
	from := len(c.Events())
	if request, asked := s.asked(c, text); asked {
		s.must(c.Answer(request.GetRequestId(), pb.PermissionDecision_ALLOW_ONCE, ""), "allow")
	}
	s.wait(c, from, kit.IsTurnComplete)
}

// fenceRefused starts an agent in a directory in which the daemon keeps its own.
func fenceRefused(s *siege) {
	c := s.converseWith("a", &pb.StartConversation{SessionId: session(), WorkingDirectory: s.world.Root})
	s.say(c, "say: hello")
	e, _ := s.wait(c, 0, func(e kit.Event) bool { return e.GetError().GetCode() == "FENCE_REFUSED" || kit.IsTurnComplete(e) })
	s.held("no agent is started", e.GetError().GetCode() == "FENCE_REFUSED", "%s", kit.Line(e))
	s.held("and people are told why", e.GetError().GetDetails()["reason"] != "", "%s", kit.Line(e))
}
