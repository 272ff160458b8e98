package agents

import (
	"fmt"
	"os"
	"os/exec"
	"strings"

	"betcode/tests/attack/siege"
)

// reachScenarios attack how the daemon finds the process at the other end of a connection.
var reachScenarios = []siege.Scenario{
	{Name: "doors: connections of an agent's children", Env: siege.Listening, Attack: attackReach},
}

// reaches are the ways in which a child of the agent connects, as the probe names them.
var reaches = []struct{ way, what string }{
	{"child", "a child"},
	{"undumpable", "a child that cannot be inspected"},
	{"sibling", "a child of the agent's launcher"},
	{"handed", "an orphan that was handed a connection"},
	{"shared", "an orphan that shares a connection"},
	{"left", "children that have ended"},
	{"in flight", "connections that no process has open"},
}

// attackReach has children of an agent make tokens over the socket, and over TCP with a token that may do so.
func attackReach(s *siege.Siege) {
	token := s.Token("person", "admin")
	doors := []struct{ name, network, address, token string }{
		{"the socket", "unix", s.World.Socket(), "-"},
		{"TCP", "tcp", s.Address(), token},
	}
	c := s.Converse("a", siege.NewSession())
	var start strings.Builder
	for _, d := range doors {
		for i, r := range reaches {
			name := fmt.Sprintf("%s-%d", d.network, i)
			fmt.Fprintf(&start, "%q reach %q %s %q %q %s %q 2>%q\n", s.Built.Probe, r.way, d.network, d.address, d.token, name, s.Project(name), s.Project(name+".err"))
		}
	}
	s.Write(s.Project("start.sh"), start.String())
	s.RunTurn(c, "run:sh start.sh")
	for _, d := range doors {
		for i, r := range reaches {
			name := fmt.Sprintf("%s-%d", d.network, i)
			if !s.Becomes(func() bool { return s.Exists(s.Project(name)) }) {
				why, _ := os.ReadFile(s.Project(name + ".err"))
				s.Fail("%s over %s does not come to its end: %s", r.what, d.name, why)
			}
			out, _ := os.ReadFile(s.Project(name))
			held := strings.Contains(string(out), "may only view")
			if r.way == "left" || r.way == "in flight" {
				held = string(out) == "left"
			}
			s.Held(r.what+" over "+d.name+" may only view", held, "%s", out)
		}
	}
	for _, d := range doors {
		out := s.Project("person-" + d.network)
		printed, err := exec.CommandContext(s, s.Built.Probe, "reach", "child", d.network, d.address, d.token, "person-"+d.network, out).CombinedOutput()
		said, _ := os.ReadFile(out)
		s.Held("a person may do it over "+d.name, err == nil && string(said) == "OK", "%s%s", printed, said)
	}
	raw, err := exec.CommandContext(s, s.Built.Probe, "reach", "in flight", "unix", s.World.Socket(), "-", "left-by-a-person", s.Project("left")).CombinedOutput()
	s.Must(err, "leave a call: "+string(raw))
	s.Held("what is left is a call", s.Becomes(func() bool {
		printed, _ := s.Cli("token", "list")
		return strings.Contains(printed, "left-by-a-person")
	}), "no token was made by a person either")
	printed, code := s.Cli("token", "list")
	s.Held("no token was made", code == 0 && !strings.Contains(printed, "unix-") && !strings.Contains(printed, "tcp-"), "%s", printed)
}
