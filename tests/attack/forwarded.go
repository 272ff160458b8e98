package main

import (
	"fmt"
	"os"
	"strings"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// forwardedScenarios attack what docs/security.md says of requests that are shown on the session above a subagent.
var forwardedScenarios = []scenario{
	{
		name: "subagents: a child of the parent's agent answers a forwarded request", attack: answerForwarded,
		settings: `{"feature_flags": {"subagent_orchestration": true}}`,
	},
}

// answerForwarded has children of the parent's agent allow what its subagent asks for, under the id that the parent shows and under the
// subagent's own, on either session.
func answerForwarded(s *siege) {
	parent := session()
	c := s.converse("a", parent)
	s.wait(c, 0, func(e kit.Event) bool { return e.GetSequence() == 1 })
	spawned, err := pb.NewSubagentServiceClient(s.daemon.Conn()).SpawnSubagent(s, &pb.SpawnSubagentRequest{
		ParentSessionId: parent, Prompt: "run:touch escaped", Name: "finder", ForwardPermissions: true,
	})
	s.must(err, "spawn a subagent")
	asked, _ := s.wait(c, 0, func(e kit.Event) bool { return e.GetPermissionRequest().GetSubagentId() == spawned.GetSubagentId() })
	shown := asked.GetPermissionRequest().GetRequestId()
	_, own, _ := strings.Cut(shown, "~")
	var calls, start strings.Builder
	for i, id := range []string{shown, own, own[:8]} {
		fmt.Fprintf(&calls, "\"$betcode\" --socket %q permission allow %s >$1.%d 2>&1 </dev/null\n", s.world.Socket(), id, i)
	}
	fmt.Fprintln(&calls, "touch $1.done")
	s.write(s.project("call.sh"), calls.String())
	fmt.Fprintf(&start, "export betcode=%q probe=%q\n", s.world.Binary, s.built.probe)
	for i, way := range callers {
		fmt.Fprintf(&start, "set -- call.sh %d\n%s </dev/null >/dev/null 2>&1\n", i, way[1])
	}
	s.write(s.project("start.sh"), start.String())
	s.runTurn(c, "run:sh start.sh")
	for i, way := range callers {
		name := s.project(fmt.Sprint(i))
		if !s.becomes(func() bool { return s.exists(name + ".done") }) {
			s.fail("%s does not come to its end", way[0])
		}
		for n, what := range []string{"as the parent shows it", "as the subagent has it", "by the beginning of its id"} {
			out, _ := os.ReadFile(fmt.Sprintf("%s.%d", name, n))
			s.held(way[0]+" cannot answer the request "+what, strings.Contains(string(out), "may only view"), "%s", out)
		}
	}
	s.held("the call has not run", !s.exists(s.project("escaped")), "it ran")
	s.must(c.Answer(shown, pb.PermissionDecision_ALLOW_ONCE, ""), "allow")
	s.held("a person at the parent may allow it", s.becomes(func() bool { return s.exists(s.project("escaped")) }), "it does not run")
}
