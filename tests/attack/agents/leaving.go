package agents

import (
	"fmt"
	"os"
	"strings"

	"betcode/tests/attack/siege"
)

// leavingScenarios attack the distinction of callers from agents.
var leavingScenarios = []siege.Scenario{
	{Name: "doors: ways to leave an agent", Real: true, Attack: attackLeaving},
	{Name: "doors: calls of an agent's children", Settings: `{"feature_flags": {"worktree_management": true, "subagent_orchestration": true}}`, Before: siege.SetUpRepository, Attack: attackChildren},
}

// leavings are actions of a child of the agent before its call, while its launcher lives. $1 is the
// script that calls, $2 the name for its output, $probe the program of that name.
var leavings = [][2]string{
	{"setsid", `setsid -f sh $1 $2`},
	{"two forks with a clean environment", `( (env -i PATH="$PATH" HOME="$HOME" setsid sh $1 $2 &) & )`},
	{"nohup, and the parent ends", `sh -c "nohup sh $1 $2 >/dev/null 2>&1 &"`},
	{"a subreaper of its own that collects orphans", `setsid -f $probe adopt sh $1 $2`},
	{"a user namespace", `unshare -Ur env -i PATH="$PATH" HOME="$HOME" sh $1 $2 || { echo cannot >$2.out; touch $2.code; }`},
	{"a pid namespace", `unshare -Urpf env -i PATH="$PATH" HOME="$HOME" sh $1 $2 || { echo cannot >$2.out; touch $2.code; }`},
}

// attackLeaving has children of an agent leave it and ask for what only a person may.
func attackLeaving(s *siege.Siege) {
	c := s.Converse("a", siege.NewSession())
	s.Write(s.Project("call.sh"), fmt.Sprintf("%[1]q --socket %[2]q permission allow none >$1.out 2>&1\ntouch $1.code\n", s.World.Binary, s.World.Socket()))
	var start strings.Builder
	fmt.Fprintf(&start, "probe=%q\n", s.Built.Probe)
	for i, l := range leavings {
		fmt.Fprintf(&start, "set -- call.sh %d\n%s </dev/null >/dev/null 2>&1\n", i, l[1])
	}
	s.Write(s.Project("leave.sh"), start.String())
	s.RunTurn(c, "bash: sh leave.sh")
	for i, l := range leavings {
		name := s.Project(fmt.Sprint(i))
		s.Becomes(func() bool { return s.Exists(name + ".code") })
		out, _ := os.ReadFile(name + ".out")
		if string(out) == "cannot\n" { // this system has no such namespace for us
			s.Untried("it may only view after " + l[0])
			continue
		}
		s.Held("it may only view after "+l[0], strings.Contains(string(out), "may only view"), "%s", out)
	}
	printed, _ := s.Cli("permission", "allow", "none")
	s.Held("a person may do more", !strings.Contains(printed, "may only view"), "%s", printed)
}
