package siege

import (
	"fmt"
	"strings"

	"betcode/tests/kit"
)

// Callers are ways in which a child runs a script: $1 is the script, $2 the name of its output,
// $betcode and $probe are programs.
var Callers = [][2]string{
	{"a child", `sh $1 $2`},
	{"an orphan with a clean environment", `( (env -i PATH="$PATH" HOME="$HOME" betcode="$betcode" probe="$probe" setsid sh $1 $2 &) & )`},
	{"a copy of the program", `cp "$betcode" ./innocent && betcode=./innocent sh $1 $2`},
	{"a copy started by an orphan", `cp "$betcode" ./sh2 && ( (env -i PATH="$PATH" HOME="$HOME" betcode=./sh2 probe="$probe" setsid sh $1 $2 &) & )`},
}

// RunAsCallers has an agent run a script in each of the ways of [Callers], and waits until each call has made the file
// $2.done. It calls judge with the way and with the path that its $2 names.
func (s *Siege) RunAsCallers(c *kit.Stream, script string, judge func(way, name string)) {
	var start strings.Builder
	s.Write(s.Project("call.sh"), script)
	fmt.Fprintf(&start, "export betcode=%q probe=%q\n", s.World.Binary, s.Built.Probe)
	for i, way := range Callers {
		fmt.Fprintf(&start, "set -- call.sh %d\n%s </dev/null >/dev/null 2>&1\n", i, way[1])
	}
	s.Write(s.Project("start.sh"), start.String())
	s.RunTurn(c, "run:sh start.sh")
	for i, way := range Callers {
		name := s.Project(fmt.Sprint(i))
		if !s.Becomes(func() bool { return s.Exists(name + ".done") }) {
			s.Fail("%s does not come to its end", way[0])
		}
		judge(way[0], name)
	}
}
