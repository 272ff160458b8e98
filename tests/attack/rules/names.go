package rules

import (
	"encoding/json"
	"path/filepath"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/attack/siege"
)

// nameScenarios attack rules by the names of tools.
var nameScenarios = []siege.Scenario{
	{
		Name: "rules: names of tools", Settings: `{"permissions": {"allow": ["mcp__srv", "mcp__exact__do", "Bash", "Agent"], "deny": ["mcp__my.srv", "bash(rm *)", "Task"]}}`,
		Attack: explainNames,
	},
	{
		Name: "rules: two servers of one name", Real: true, Before: twoServers, Attack: callBoth, Script: callServer,
		Settings: `{"permissions": {"allow": ["mcp__srv"]}}`,
	},
}

func explainNames(s *siege.Siege) {
	for _, name := range []string{
		"mcp__srv__evil__do", "mcp__srv___do", "mcp__srv__x__", "mcp__srv__", "mcp__srv", "mcp__Srv__do", "MCP__srv__do", "mcp__srv __do", "mcp__srv2__do", "mcp__exact__do__it", "mcp__exact__", "mcp__Exact__do",
		"mcp__my_srv__do", "bash", "Bash ", " Bash", "BASH", "B\u0430sh", "Bash\u200b", "MultiBash", "Monitor", "KillShell", "Workflow", "Agent", "Task", "agent",
	} {
		mayNot(s, "a tool named "+name, &pb.ExplainPermissionRequest{ToolName: name, Argument: "x"})
	}
	for name, tool := range map[string]string{"the server": "mcp__srv__do", "an exact name": "mcp__exact__do"} {
		told, err := s.Daemon.Admin().ExplainPermission(s, &pb.ExplainPermissionRequest{WorkingDirectory: s.World.Project, ToolName: tool, Argument: "x"})
		s.Must(err, "explain permission")
		s.Held(name+" is allowed as it is written", told.GetEffect() == "allow", "%v", told)
	}
}

// serverScript speaks as much of the protocol as the agent needs, and leaves a mark when a
// tool is called. Its arguments are the mark and the tool.
const serverScript = `while read -r line; do
  id=$(printf %s "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case $line in
  *'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}' ;;
  *'"tools/list"'*) result="{\"tools\":[{\"name\":\"$2\",\"description\":\"x\",\"inputSchema\":{\"type\":\"object\"}}]}" ;;
  *'"tools/call"'*) touch "$1"; result='{"content":[{"type":"text","text":"ran"}]}' ;;
  *) continue ;;
  esac
  [ -n "$id" ] && printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
`

// callServer has the model load a tool and call it.
const callServer = `{
  "about": "calls a tool of a server",
  "rules": [
    {"name": "load", "when": {"prompt": "^load$"}, "reply": [{"tool": "ToolSearch", "input": {"query": "select:mcp__srv__do,mcp__srv__evil__do", "max_results": 5}}]},
    {"name": "fine", "when": {"prompt": "^fine$"}, "reply": [{"tool": "mcp__srv__do", "input": {}}]},
    {"name": "evil", "when": {"prompt": "^evil$"}, "reply": [{"tool": "mcp__srv__evil__do", "input": {}}]},
    {"name": "done", "when": {"after": -1}, "reply": [{"text": "Done: ${result}"}]}
  ]
}`

// twoServers are srv, which a rule allows, and srv__evil, which none does.
func twoServers(s *siege.Siege) {
	script := filepath.Join(s.World.Home, "server.sh")
	s.Write(script, serverScript)
	type server struct {
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}
	all := map[string]map[string]server{"mcpServers": {
		"srv":       {"/bin/sh", []string{script, s.Mark("fine"), "do"}},
		"srv__evil": {"/bin/sh", []string{script, s.Mark("evil"), "do"}},
	}}
	text, err := json.Marshal(all)
	s.Must(err, "encode servers")
	s.Write(filepath.Join(s.World.Home, ".claude.json"), string(text))
	s.Write(s.Mark("there"), "")
}

func callBoth(s *siege.Siege) {
	c := s.Converse("a", siege.NewSession())
	s.Turn(c, "load")
	_, asked := s.Asked(c, "fine")
	s.Held("the server that is allowed runs unasked", !asked && s.Marked("fine"), "asked: %t, ran: %t", asked, s.Marked("fine"))
	request, asked := s.Asked(c, "evil")
	s.Held("the other one is asked about", asked && request.GetToolName() == "mcp__srv__evil__do" && !s.Marked("evil"), "asked: %t, ran: %t", asked, s.Marked("evil"))
}
