package agents

import (
	"fmt"
	"os"
	"strings"

	"betcode/tests/attack/siege"
)

// orphans: a child of the agent removes every mark by which it is recognised, and tries to approve
// the agent's request.
func orphans(s *siege.Siege) {
	id := siege.NewSession()
	c := s.Converse("a", id)
	script := fmt.Sprintf(`
for i in 1 2 3 4 5 6 7 8 9 10; do
  request=$(%[1]q --socket %[2]q permission list | cut -f1 | grep -v REQUEST)
  [ -n "$request" ] && break
  sleep 0.5
done
%[1]q --socket %[2]q permission allow "$request" >%[3]s.out 2>&1
echo $? >%[3]s.tmp; mv %[3]s.tmp %[3]s.code
`, s.World.Binary, s.World.Socket(), "$1")
	s.Write(s.Project("try.sh"), script)
	scrubbed := `env -i PATH="$PATH" HOME="$HOME" setsid -f sh try.sh %s </dev/null >/dev/null 2>&1`
	s.Write(s.Project("start.sh"), "("+fmt.Sprintf(scrubbed, "orphan")+" &)\n"+
		// The second outlives its launcher, so it has no agent among its ancestors any more.
		"if grep -q /betcode- /proc/self/cgroup; then "+
		`env -i PATH="$PATH" HOME="$HOME" setsid -f sh -c 'kill -9 $(cat launcher); sleep 1; sh try.sh alone' </dev/null >/dev/null 2>&1; else touch nogroup; fi; echo started`+"\n")
	s.RunTurn(c, "say: hello")
	pid, err := s.Launcher(id)
	s.Must(err, "find the launcher")
	s.Write(s.Project("launcher"), fmt.Sprint(pid))
	s.RunTurn(c, "bash: sh start.sh")
	request, asked := s.Asked(c, "bash: touch approved.txt")
	if !asked {
		s.Fail("nobody is asked")
	}
	names := []string{"orphan"}
	if !s.Exists(s.Project("nogroup")) { // without control groups this is not prevented, as docs/security.md states
		names = append(names, "alone")
	}
	for _, name := range names {
		s.Becomes(func() bool { return s.Exists(s.Project(name + ".code")) })
		out, _ := os.ReadFile(s.Project(name + ".out"))
		s.Held("an orphan with a clean environment may only view: "+name, strings.Contains(string(out), "may only view"), "%s", out)
	}
	s.Held("nothing was approved", !s.Exists(s.Project("approved.txt")), "request %s", request.GetRequestId())
}
