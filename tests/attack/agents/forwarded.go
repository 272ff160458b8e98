package agents

import (
	"fmt"
	"os"
	"strings"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/attack/siege"
	"betcode/tests/kit"
)

// forwardedScenarios attack the claims of docs/security.md about requests that are shown on the session above a subagent.
var forwardedScenarios = []siege.Scenario{
	{
		Name: "subagents: a child of the parent's agent answers a forwarded request", Attack: answerForwarded,
		Settings: `{"feature_flags": {"subagent_orchestration": true}}`,
	},
}

// answerForwarded has children of the parent's agent allow what its subagent asks for, under the id that the parent shows and under the
// subagent's own, on either session.
func answerForwarded(s *siege.Siege) {
	parent := siege.NewSession()
	c := s.Converse("a", parent)
	s.Wait(c, 0, func(e kit.Event) bool { return e.GetSequence() == 1 })
	spawned, err := pb.NewSubagentServiceClient(s.Daemon.Conn()).SpawnSubagent(s, &pb.SpawnSubagentRequest{
		ParentSessionId: parent, Prompt: "run:touch escaped", Name: "finder", ForwardPermissions: true,
	})
	s.Must(err, "spawn a subagent")
	asked, _ := s.Wait(c, 0, func(e kit.Event) bool { return e.GetPermissionRequest().GetSubagentId() == spawned.GetSubagentId() })
	shown := asked.GetPermissionRequest().GetRequestId()
	_, own, _ := strings.Cut(shown, "~")
	var calls strings.Builder
	for i, id := range []string{shown, own, own[:8]} {
		fmt.Fprintf(&calls, "\"$betcode\" --socket %q permission allow %s >$1.%d 2>&1 </dev/null\n", s.World.Socket(), id, i)
	}
	fmt.Fprintln(&calls, "touch $1.done")
	s.RunAsCallers(c, calls.String(), func(way, name string) {
		for n, what := range []string{"as the parent shows it", "as the subagent has it", "by the beginning of its id"} {
			out, _ := os.ReadFile(fmt.Sprintf("%s.%d", name, n))
			s.Held(way+" cannot answer the request "+what, strings.Contains(string(out), "may only view"), "%s", out)
		}
	})
	s.Held("the call has not run", !s.Exists(s.Project("escaped")), "it ran")
	s.Must(c.Answer(shown, pb.PermissionDecision_ALLOW_ONCE, ""), "allow")
	s.Held("a person at the parent may allow it", s.Becomes(func() bool { return s.Exists(s.Project("escaped")) }), "it does not run")
}
