package agents

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/attack/siege"
	"betcode/tests/kit"
)

// fleetServerScenarios attack the border between an agent's fleet server, whose calls a person approves, and its other children.
var fleetServerScenarios = []siege.Scenario{
	{
		Name: "fleet: children present the ticket of the fleet server", Real: true, Script: fleetScript,
		Settings: `{"agent": {"on_self_approval": "tell"}, "feature_flags": {"subagent_orchestration": true}}`, Attack: presentTicket,
	},
	{
		Name: "fleet: an agent whose child presents the ticket is frozen", Real: true, Script: fleetScript,
		Settings: `{"feature_flags": {"subagent_orchestration": true}}`, Attack: presentAndFreeze,
	},
	{
		Name: "fleet: a sibling presents the ticket of another agent", Real: true, Script: fleetScript,
		Settings: `{"agent": {"on_self_approval": "tell"}, "feature_flags": {"subagent_orchestration": true}}`, Attack: presentOfSibling,
	},
	{
		Name: "fleet: plans of others and places outside", Real: true, Script: planScript,
		Settings: `{"feature_flags": {"subagent_orchestration": true}, "permissions": {"allow": ["mcp__betcode__*"]}}`, Attack: reachByPlan,
	},
}

const fleetScript = `{
  "about": "runs commands, and calls a tool of the fleet server",
  "rules": [
    {"name": "bash", "when": {"prompt": "(?s)^bash: (.*)$"}, "reply": [{"tool": "Bash", "input": {"command": "${1}", "description": "run it"}}]},
    {"name": "list", "when": {"prompt": "^list$"}, "reply": [{"tool": "mcp__betcode__list_subagents", "input": {}}]},
    {"name": "done", "when": {"after": -1}, "reply": [{"text": "Done: ${result}"}]}
  ]
}`

// impostors are ways in which a child runs 'betcode mcp': $betcode is the program, and the ticket is in the environment.
var impostors = [][2]string{
	{"a child", `"$betcode" mcp`},
	{"a child that becomes the program", `bash -c 'exec "$betcode" mcp'`},
	{"a copy of the program", `cp "$betcode" ./innocent && ./innocent mcp`},
	{"an orphan with a clean environment", `setsid env -i BETCODE_FLEET_TICKET="$BETCODE_FLEET_TICKET" BETCODE_SOCKET="$BETCODE_SOCKET" HOME="$HOME" PATH="$PATH" "$betcode" mcp`},
	{"a child without a ticket", `env -u BETCODE_FLEET_TICKET "$betcode" mcp`},
	{"a child with another run's ticket", `BETCODE_FLEET_TICKET="$(echo "$BETCODE_FLEET_TICKET" | sed 's/[.]1[.]/.2./')" "$betcode" mcp`},
}

// stealing writes a script in which children try to be the fleet server of a session.
func stealing(s *siege.Siege, id string) {
	servers := filepath.Join(s.World.StateDir(), "runs", id, "1", "mcp.json")
	var text strings.Builder
	fmt.Fprintf(&text, "export betcode=%q BETCODE_SOCKET=%q\n", s.World.Binary, s.World.Socket())
	fmt.Fprintf(&text, "export BETCODE_FLEET_TICKET=\"$(sed -n 's/.*\"BETCODE_FLEET_TICKET\":\"\\([^\"]*\\)\".*/\\1/p' %q)\"\n", servers)
	fmt.Fprintf(&text, "echo \"$BETCODE_FLEET_TICKET\" >ticket\n")
	for i, way := range impostors {
		fmt.Fprintf(&text, "(%s) >%d.out 2>&1 </dev/null; echo $? >%d.code\n", way[1], i, i)
	}
	s.Write(s.Project("steal.sh"), text.String())
}

// converseFleet begins a session whose agent has the fleet server.
func converseFleet(s *siege.Siege, id string) *kit.Stream {
	return s.ConverseWith("a", &pb.StartConversation{
		SessionId: id, WorkingDirectory: s.World.Project, AllowedTools: []string{"Bash"}, Options: &pb.AgentOptions{Fleet: true},
	})
}

// presentTicket has children of an agent, which know the ticket, call as its fleet server.
func presentTicket(s *siege.Siege) {
	id := siege.NewSession()
	c := converseFleet(s, id)
	stealing(s, id)
	steals(s, c, id)
	s.Held("one alarm is raised", s.Becomes(func() bool { return strings.Count(notices(s, c), "FORGED_FLEET") == 1 }), "%s", notices(s, c))
	s.Held("the alarm is in the audit log", s.Becomes(func() bool { return s.Audited(`"forged_fleet"`) }), "it is not")
	s.Held("the fleet server itself is asked about, and goes on", lists(s, c), "%s", notices(s, c))
}

// steals has an agent's children present the ticket of a session, and checks that each is refused.
func steals(s *siege.Siege, c *kit.Stream, id string) {
	s.Say(c, "bash: sh steal.sh")
	s.Wait(c, 0, kit.IsTurnComplete)
	ticket, _ := os.ReadFile(s.Project("ticket"))
	s.Held("the ticket is known", strings.HasPrefix(string(ticket), id+".1."), "%q", ticket)
	for i, way := range impostors {
		out, _ := os.ReadFile(s.Project(fmt.Sprint(i, ".out")))
		code, _ := os.ReadFile(s.Project(fmt.Sprint(i, ".code")))
		s.Held(way[0]+" is refused", len(code) > 0 && strings.TrimSpace(string(code)) != "0" &&
			(strings.Contains(string(out), "belongs to another process") || strings.Contains(string(out), "no run has this ticket") ||
				strings.Contains(string(out), "is for agents")), "exit %s: %s", code, out)
	}
}

// presentOfSibling has children of one agent, which know the ticket of another one, call as its fleet server.
func presentOfSibling(s *siege.Siege) {
	victim, thief := siege.NewSession(), siege.NewSession()
	c := converseFleet(s, victim)
	stealing(s, victim)
	s.Held("the fleet server is asked about", lists(s, c), "%s", notices(s, c))
	s.Wait(c, 0, kit.IsTurnComplete)
	steals(s, s.ConverseWith("b", &pb.StartConversation{
		SessionId: thief, WorkingDirectory: s.World.Project, AllowedTools: []string{"Bash"},
	}), victim)
	s.Held("the fleet server goes on", lists(s, c), "%s", notices(s, c))
}

// lists has the agent call its fleet server, allows that, and reports whether it worked.
func lists(s *siege.Siege, c *kit.Stream) bool {
	request, asked := s.Asked(c, "list")
	if !asked || request.GetToolName() != "mcp__betcode__list_subagents" {
		return false
	}
	from := len(c.Events())
	s.Must(c.Answer(request.GetRequestId(), pb.PermissionDecision_ALLOW_ONCE, ""), "allow")
	result, _ := s.Wait(c, from, func(e kit.Event) bool { return e.GetToolCallResult() != nil })
	return !result.GetToolCallResult().GetIsError()
}

// presentAndFreeze has a child of an agent call as its fleet server where alarms have consequences.
func presentAndFreeze(s *siege.Siege) {
	id := siege.NewSession()
	c := converseFleet(s, id)
	stealing(s, id)
	s.Say(c, "bash: sh steal.sh")
	s.Wait(c, 0, siege.IsNotice("FORGED_FLEET"))
	s.Held("the agent is frozen", s.Becomes(s.Frozen), "it runs")
	s.Held("the session says so", s.Becomes(func() bool { return s.Shown(id).GetSummary().GetCondition() == "agent_alarm" }), "%q", s.Shown(id).GetSummary().GetCondition())
}

const planScript = `{
  "about": "calls the tools for plans",
  "rules": [
    {"name": "wait", "when": {"prompt": "^wait (\\S+)$", "after": 0}, "reply": [{"tool": "mcp__betcode__wait_for_plan", "input": {"plan_id": "${1}", "timeout_seconds": 1}}]},
    {"name": "cancel", "when": {"prompt": "^cancel (\\S+)$", "after": 0}, "reply": [{"tool": "mcp__betcode__cancel_plan", "input": {"plan_id": "${1}"}}]},
    {"name": "under", "when": {"prompt": "^under (\\S+)$", "after": 0}, "reply": [{"tool": "mcp__betcode__submit_plan", "input": {"parent_session_id": "${1}", "steps": [{"id": "a", "prompt": "x"}]}}]},
    {"name": "in", "when": {"prompt": "^in (\\S+)$", "after": 0}, "reply": [{"tool": "mcp__betcode__submit_plan", "input": {"steps": [{"id": "a", "prompt": "x", "working_directory": "${1}"}]}}]},
    {"name": "tree", "when": {"prompt": "^tree (\\S+)$", "after": 0}, "reply": [{"tool": "mcp__betcode__submit_plan", "input": {"steps": [{"id": "a", "prompt": "x", "worktree_id": "${1}"}]}}]},
    {"name": "own", "when": {"prompt": "^own$", "after": 0}, "reply": [{"tool": "mcp__betcode__submit_plan", "input": {"steps": [{"id": "a", "prompt": "x"}]}}]},
    {"name": "done", "when": {"after": -1}, "reply": [{"text": "Done: ${result}"}]}
  ]
}`

// reachByPlan has an agent reach for plans, sessions and directories that are not its own, with tools that are allowed.
func reachByPlan(s *siege.Siege) {
	api := pb.NewSubagentServiceClient(s.Daemon.Conn())
	foreign, err := api.CreateOrchestration(s, &pb.CreateOrchestrationRequest{
		Name: "nightly", WorkingDirectory: s.World.Project, Steps: []*pb.OrchestrationStep{{Id: "a", Prompt: "what a person wants"}},
	})
	s.Must(err, "begin a plan of a person")
	outside := filepath.Join(s.World.Home, "outside")
	s.Must(os.MkdirAll(outside, 0o700), "make a directory")
	s.Must(os.Symlink(outside, s.Project("link")), "make a link")
	other, id := siege.NewSession(), siege.NewSession()
	s.In(s.World.Project, other)
	c := converseFleet(s, id)
	for _, attempt := range [][2]string{
		{"the plan of a person is not shown", "wait " + foreign.GetOrchestrationId()},
		{"nor by the beginning of its id", "wait " + foreign.GetOrchestrationId()[:8]},
		{"nor by its name", "wait nightly"},
		{"nor as the newest", "wait @last"},
		{"and not cancelled", "cancel " + foreign.GetOrchestrationId()},
		{"nor by its name, too", "cancel nightly"},
		{"nor as the newest, too", "cancel @last"},
		{"no plan under another session", "under " + other},
		{"no step outside of the directory", "in " + outside},
		{"nor above it", "in " + filepath.Dir(s.World.Project)},
		{"nor behind a link", "in " + s.Project("link")},
		{"nor in a worktree of others", "tree somewhere"},
	} {
		s.Held(attempt[0], toolFails(s, c, attempt[1]), "the tool has answered")
	}
	list, err := api.ListOrchestrations(s, &pb.ListOrchestrationsRequest{})
	s.Held("the only plan is that of the person", err == nil && len(list.GetOrchestrations()) == 1 &&
		list.GetOrchestrations()[0].GetState() != pb.OrchestrationState_ORCHESTRATION_STATE_STOPPING, "%v %v", list, err)
	s.Held("a plan of its own is played", !toolFails(s, c, "own"), "it is refused")
	list, err = api.ListOrchestrations(s, &pb.ListOrchestrationsRequest{})
	s.Held("its parent is the session", err == nil && len(list.GetOrchestrations()) == 2 && list.GetOrchestrations()[0].GetParentSessionId() == id, "%v %v", list, err)
}

// toolFails sends a message that makes the agent call a tool, and reports whether the result was an error.
func toolFails(s *siege.Siege, c *kit.Stream, text string) bool {
	from := len(c.Events())
	s.Say(c, text)
	result, next := s.Wait(c, from, func(e kit.Event) bool { return e.GetToolCallResult() != nil })
	s.Wait(c, next, kit.IsIdle)
	return result.GetToolCallResult().GetIsError()
}
