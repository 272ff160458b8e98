package main

import (
	"fmt"
	"os"
	"strings"
)

// orphans have a child of the agent leave everything by which it is known, and try to
// approve what the agent asks for.
func orphans(s *siege) {
	id := session()
	c := s.converse("a", id)
	script := fmt.Sprintf(`
for i in 1 2 3 4 5 6 7 8 9 10; do
  request=$(%[1]q --socket %[2]q permission list | cut -f1 | grep -v REQUEST)
  [ -n "$request" ] && break
  sleep 0.5
done
%[1]q --socket %[2]q permission allow "$request" >%[3]s.out 2>&1
echo $? >%[3]s.tmp; mv %[3]s.tmp %[3]s.code
`, s.world.Binary, s.world.Socket(), "$1")
	s.write(s.project("try.sh"), script)
	scrubbed := `env -i PATH="$PATH" HOME="$HOME" setsid -f sh try.sh %s </dev/null >/dev/null 2>&1`
	s.write(s.project("start.sh"), "("+fmt.Sprintf(scrubbed, "orphan")+" &)\n"+
		// The second outlives its launcher, so that no ancestor of it is an agent any more.
		"if grep -q /betcode- /proc/self/cgroup; then "+
		`env -i PATH="$PATH" HOME="$HOME" setsid -f sh -c 'kill -9 $(cat launcher); sleep 1; sh try.sh alone' </dev/null >/dev/null 2>&1; else touch nogroup; fi; echo started`+"\n")
	s.runTurn(c, "say: hello")
	pid, err := s.launcher(id)
	s.must(err, "find the launcher")
	s.write(s.project("launcher"), fmt.Sprint(pid))
	s.runTurn(c, "bash: sh start.sh")
	request, asked := s.asked(c, "bash: touch approved.txt")
	if !asked {
		s.fail("nobody is asked")
	}
	names := []string{"orphan"}
	if !s.exists(s.project("nogroup")) { // without control groups it is not defended; docs/security.md says so
		names = append(names, "alone")
	}
	for _, name := range names {
		s.becomes(func() bool { return s.exists(s.project(name + ".code")) })
		out, _ := os.ReadFile(s.project(name + ".out"))
		s.held("an orphan with a clean environment may only view: "+name, strings.Contains(string(out), "may only view"), "%s", out)
	}
	s.held("nothing was approved", !s.exists(s.project("approved.txt")), "request %s", request.GetRequestId())
}
