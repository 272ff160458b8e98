package fence

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/attack/siege"
	"betcode/tests/kit"
)

// fencedScenarios attack the claims of docs/security.md about the fence around agents.
var fencedScenarios = []siege.Scenario{
	{Name: "fence: a fenced agent", Real: true, Settings: `{"agent": {"fence": "project"}}`, Before: outside, Attack: fenced},
	{Name: "fence: a project that holds the daemon's directories", Settings: `{"agent": {"fence": "project"}}`, Before: outside, Attack: fenceRefused},
}

// outside creates files that a fenced agent must not touch.
func outside(s *siege.Siege) {
	s.Write(filepath.Join(s.World.Root, "outside", "file"), "old")
}

// tries are commands of a fenced agent: the name of a case, and what must not succeed.
func tries(s *siege.Siege, id, other string) [][2]string {
	runs := filepath.Join(s.World.StateDir(), "runs")
	file := filepath.Join(s.World.Root, "outside", "file")
	return [][2]string{
		{"it writes no file outside", "echo attack >" + file},
		{"it makes no file outside", "echo attack >" + file + ".new"},
		{"it removes no file outside", "rm -f " + file + " && test ! -e " + file},
		{"a link leads nowhere", "ln -s " + file + " link && echo attack >link"},
		{"it writes nothing to the daemon's state", "echo attack >" + s.World.StateDir() + "/x"},
		{"it writes nothing to the daemon's settings", "echo {} >" + s.World.ConfigDir() + "/settings.json"},
		{"it cannot open its own FIFO", ": 1<>" + filepath.Join(runs, id, "1", "stdin")},
		{"it cannot open another agent's FIFO", ": 1<>" + filepath.Join(runs, other, "1", "stdin")},
		{"nor its own through /proc", "for p in /proc/[0-9]*; do if [ \"$(readlink $p/fd/0)\" = " + filepath.Join(runs, id, "1", "stdin") + " ] && : 1<>$p/fd/0; then exit 0; fi; done; exit 1"},
		{"it writes no lies into its spool", "echo x >>" + filepath.Join(runs, id, "1", "stdout")},
		{"it cannot signal the daemon", fmt.Sprintf("kill -0 %d", s.Daemon.PID())},
		{"nor its launcher", "kill -0 $(pgrep -o -f ^betcode-launch || echo 1)"},
		{"it cannot write to the daemon's memory", fmt.Sprintf(": 1<>/proc/%d/mem", s.Daemon.PID())},
		{"it takes no descriptor of the daemon", fmt.Sprintf("readlink /proc/%d/fd/3", s.Daemon.PID())},
		{"an orphan with a clean environment writes nothing either", "env -i setsid -f sh -c 'echo attack >" + file + "' ; sleep 0.3; grep -q attack " + file},
	}
}

func fenced(s *siege.Siege) {
	if !s.CanFence() {
		s.Held("the kernel cannot fence, and no agent is started", true, "")
		return
	}
	other, id := siege.NewSession(), siege.NewSession()
	c := s.Converse("b", other)
	s.RunTurn(c, "say: hello")
	c = s.Converse("a", id)
	s.RunTurn(c, "say: hello")
	var script strings.Builder
	tries := tries(s, id, other)
	for i, try := range tries {
		fmt.Fprintf(&script, "if ( %s ) >/dev/null 2>&1; then echo %d >>succeeded; fi\n", try[1], i)
	}
	script.WriteString("echo inside >inside; mkdir -p d && mv inside d/ && echo $TMPDIR >\"$TMPDIR/x\" && touch done\n")
	s.Write(s.Project("tries.sh"), script.String())
	s.RunTurn(c, "bash: sh tries.sh")
	s.Held("it works in its project and its temporary directory", s.Exists(s.Project("done")) && s.Exists(s.Project("d/inside")), "it cannot")
	raw, _ := os.ReadFile(s.Project("succeeded"))
	did := "\n" + string(raw)
	for i, try := range tries {
		s.Held(try[0], !strings.Contains(did, fmt.Sprintf("\n%d\n", i)), "%s", try[1])
	}
	s.Held("what is outside is as it was", s.Contains(filepath.Join(s.World.Root, "outside", "file"), "old"), "it is not")
	for _, show := range [][]string{{"session", "show", id}, {"tree"}, {"daemon", "status"}} {
		printed, _ := s.Cli(show...)
		s.Held(strings.Join(show[:min(2, len(show))], " ")+" says that it is fenced", strings.Contains(printed, "project") || strings.Contains(printed, "2 agents fenced"), "%s", printed)
	}
	// Its memory is kept: the next agent of the session knows the conversation.
	printed, code := s.Cli("session", "restart", id)
	s.Held("it is started again in its fence", code == 0, "%s", printed)
	s.RunTurn(c, "say: again")
}

// fenceRefused starts an agent in a directory in which the daemon keeps its own.
func fenceRefused(s *siege.Siege) {
	c := s.ConverseWith("a", &pb.StartConversation{SessionId: siege.NewSession(), WorkingDirectory: s.World.Root})
	s.Say(c, "say: hello")
	e, _ := s.Wait(c, 0, func(e kit.Event) bool { return e.GetError().GetCode() == "FENCE_REFUSED" || kit.IsTurnComplete(e) })
	s.Held("no agent is started", e.GetError().GetCode() == "FENCE_REFUSED", "%s", kit.Line(e))
	s.Held("and people are told why", e.GetError().GetDetails()["reason"] != "", "%s", kit.Line(e))
}
