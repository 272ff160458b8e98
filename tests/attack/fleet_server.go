package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// fleetServerScenarios attack the border between an agent's fleet server, whose calls a person approves, and its other children.
var fleetServerScenarios = []scenario{
	{
		name: "fleet: children present the ticket of the fleet server", real: true, script: fleetScript,
		settings: `{"agent": {"on_self_approval": "tell"}, "feature_flags": {"subagent_orchestration": true}}`, attack: presentTicket,
	},
	{
		name: "fleet: an agent whose child presents the ticket is frozen", real: true, script: fleetScript,
		settings: `{"feature_flags": {"subagent_orchestration": true}}`, attack: presentAndFreeze,
	},
	{
		name: "fleet: a sibling presents the ticket of another agent", real: true, script: fleetScript,
		settings: `{"agent": {"on_self_approval": "tell"}, "feature_flags": {"subagent_orchestration": true}}`, attack: presentOfSibling,
	},
	{
		name: "fleet: plans of others and places outside", real: true, script: planScript,
		settings: `{"feature_flags": {"subagent_orchestration": true}, "permissions": {"allow": ["mcp__betcode__*"]}}`, attack: reachByPlan,
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
func (s *siege) stealing(id string) {
	servers := filepath.Join(s.world.StateDir(), "runs", id, "1", "mcp.json")
	var text strings.Builder
	fmt.Fprintf(&text, "export betcode=%q BETCODE_SOCKET=%q\n", s.world.Binary, s.world.Socket())
	fmt.Fprintf(&text, "export BETCODE_FLEET_TICKET=\"$(sed -n 's/.*\"BETCODE_FLEET_TICKET\":\"\\([^\"]*\\)\".*/\\1/p' %q)\"\n", servers)
	fmt.Fprintf(&text, "echo \"$BETCODE_FLEET_TICKET\" >ticket\n")
	for i, way := range impostors {
		fmt.Fprintf(&text, "(%s) >%d.out 2>&1 </dev/null; echo $? >%d.code\n", way[1], i, i)
	}
	s.write(s.project("steal.sh"), text.String())
}

// converseFleet begins a session whose agent has the fleet server.
func (s *siege) converseFleet(id string) *kit.Stream {
	return s.converseWith("a", &pb.StartConversation{
		SessionId: id, WorkingDirectory: s.world.Project, AllowedTools: []string{"Bash"}, Options: &pb.AgentOptions{Fleet: true},
	})
}

// presentTicket has children of an agent, which know the ticket, call as its fleet server.
func presentTicket(s *siege) {
	id := session()
	c := s.converseFleet(id)
	s.stealing(id)
	s.steals(c, id)
	s.held("one alarm is raised", s.becomes(func() bool { return strings.Count(s.notices(c), "FORGED_FLEET") == 1 }), "%s", s.notices(c))
	s.held("the alarm is in the audit log", s.becomes(func() bool { return s.audited(`"forged_fleet"`) }), "it is not")
	s.held("the fleet server itself is asked about, and goes on", s.lists(c), "%s", s.notices(c))
}

// steals has an agent's children present the ticket of a session, and checks that each is refused.
func (s *siege) steals(c *kit.Stream, id string) {
	s.say(c, "bash: sh steal.sh")
	s.wait(c, 0, kit.IsTurnComplete)
	ticket, _ := os.ReadFile(s.project("ticket"))
	s.held("the ticket is known", strings.HasPrefix(string(ticket), id+".1."), "%q", ticket)
	for i, way := range impostors {
		out, _ := os.ReadFile(s.project(fmt.Sprint(i, ".out")))
		code, _ := os.ReadFile(s.project(fmt.Sprint(i, ".code")))
		s.held(way[0]+" is refused", len(code) > 0 && strings.TrimSpace(string(code)) != "0" &&
			(strings.Contains(string(out), "belongs to another process") || strings.Contains(string(out), "no run has this ticket") ||
				strings.Contains(string(out), "is for agents")), "exit %s: %s", code, out)
	}
}

// presentOfSibling has children of one agent, which know the ticket of another one, call as its fleet server.
func presentOfSibling(s *siege) {
	victim, thief := session(), session()
	c := s.converseFleet(victim)
	s.stealing(victim)
	s.held("the fleet server is asked about", s.lists(c), "%s", s.notices(c))
	s.wait(c, 0, kit.IsTurnComplete)
	s.steals(s.converseWith("b", &pb.StartConversation{
		SessionId: thief, WorkingDirectory: s.world.Project, AllowedTools: []string{"Bash"},
	}), victim)
	s.held("the fleet server goes on", s.lists(c), "%s", s.notices(c))
}

// lists has the agent call its fleet server, allows that, and reports whether it worked.
func (s *siege) lists(c *kit.Stream) bool {
	request, asked := s.asked(c, "list")
	if !asked || request.GetToolName() != "mcp__betcode__list_subagents" {
		return false
	}
	from := len(c.Events())
	s.must(c.Answer(request.GetRequestId(), pb.PermissionDecision_ALLOW_ONCE, ""), "allow")
	result, _ := s.wait(c, from, func(e kit.Event) bool { return e.GetToolCallResult() != nil })
	return !result.GetToolCallResult().GetIsError()
}

// presentAndFreeze has a child of an agent call as its fleet server where alarms have consequences.
func presentAndFreeze(s *siege) {
	id := session()
	c := s.converseFleet(id)
	s.stealing(id)
	s.say(c, "bash: sh steal.sh")
	s.wait(c, 0, isNotice("FORGED_FLEET"))
	s.held("the agent is frozen", s.becomes(s.frozen), "it runs")
	s.held("the session says so", s.becomes(func() bool { return s.shown(id).GetSummary().GetCondition() == "agent_alarm" }), "%q", s.shown(id).GetSummary().GetCondition())
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
func reachByPlan(s *siege) {
	api := pb.NewSubagentServiceClient(s.daemon.Conn())
	foreign, err := api.CreateOrchestration(s, &pb.CreateOrchestrationRequest{
		WorkingDirectory: s.world.Project, Steps: []*pb.OrchestrationStep{{Id: "a", Prompt: "what a person wants"}},
	})
	s.must(err, "begin a plan of a person")
	outside := filepath.Join(s.world.Home, "outside")
	s.must(os.MkdirAll(outside, 0o700), "make a directory")
	s.must(os.Symlink(outside, s.project("link")), "make a link")
	other, id := session(), session()
	s.in(s.world.Project, other)
	c := s.converseFleet(id)
	for _, attempt := range [][2]string{
		{"the plan of a person is not shown", "wait " + foreign.GetOrchestrationId()},
		{"nor by the beginning of its id", "wait " + foreign.GetOrchestrationId()[:8]},
		{"and not cancelled", "cancel " + foreign.GetOrchestrationId()},
		{"no plan under another session", "under " + other},
		{"no step outside of the directory", "in " + outside},
		{"nor above it", "in " + filepath.Dir(s.world.Project)},
		{"nor behind a link", "in " + s.project("link")},
		{"nor in a worktree of others", "tree somewhere"},
	} {
		s.held(attempt[0], s.toolFails(c, attempt[1]), "the tool has answered")
	}
	list, err := api.ListOrchestrations(s, &pb.ListOrchestrationsRequest{})
	s.held("the only plan is that of the person", err == nil && len(list.GetOrchestrations()) == 1 &&
		list.GetOrchestrations()[0].GetState() != pb.OrchestrationState_ORCHESTRATION_STATE_STOPPING, "%v %v", list, err)
	s.held("a plan of its own is played", !s.toolFails(c, "own"), "it is refused")
	list, err = api.ListOrchestrations(s, &pb.ListOrchestrationsRequest{})
	s.held("its parent is the session", err == nil && len(list.GetOrchestrations()) == 2 && list.GetOrchestrations()[0].GetParentSessionId() == id, "%v %v", list, err)
}

// toolFails sends a message that makes the agent call a tool, and reports whether the result was an error.
func (s *siege) toolFails(c *kit.Stream, text string) bool {
	from := len(c.Events())
	s.say(c, text)
	result, next := s.wait(c, from, func(e kit.Event) bool { return e.GetToolCallResult() != nil })
	s.wait(c, next, kit.IsIdle)
	return result.GetToolCallResult().GetIsError()
}
