package grpcapi

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

var exampleAbilities = messages.Abilities{
	Commands: []messages.AgentCommand{
		{Name: "tidy", Description: "Tidies"},
		{Name: "fixit", Description: "Fixes", Arguments: `"issue"`},
		{Name: "mcp__github__review"},
		{Name: "tools:lint"},
		{Name: "compact"},
	},
	Skills: []string{"tidy"},
	Agents: []messages.AgentType{{Name: "Explore"}, {Name: "reviewer"}},
}

func commandAsker() *fakeAsker {
	return &fakeAsker{answer: func(r messages.Request) (messages.Reply, error) {
		switch r := r.(type) {
		case messages.GetAbilities:
			return exampleAbilities, nil
		case messages.GetSubagents:
			return messages.Subagents{Subagents: []messages.Subagent{
				{Task: "t1", ToolUse: "u1", Type: "Explore", Description: "look", State: "running", Background: true}, {Task: "t2", State: "killed"}, {Task: "t3", State: "completed"}, {Task: "t4", State: "pending"},
			}}, nil
		case messages.ResolveSession:
			if r.Reference == "nobody" {
				return nil, messages.Errorf("resolve", messages.NotFound, "no")
			}
			return messages.SessionResolved{Session: messages.SessionID(r.Reference)}, nil
		case messages.ListSessions:
			return messages.SessionList{Total: 3, Sessions: []messages.SessionRecord{
				{ID: sessionA, Name: "demo", Phase: messages.PhaseIdle}, {ID: keyA, Phase: messages.PhaseActive}, {ID: "x", Name: "broken", Phase: messages.PhaseCrashed},
			}}, nil
		case messages.ListPath:
			if r.Query == "../" {
				return nil, messages.Errorf("list path", messages.Invalid, "no")
			}
			return messages.PathList{Truncated: r.Limit == 2, Entries: []messages.PathEntry{
				{Path: "src", Kind: messages.PathDirectory, Modified: time.Unix(7, 0)}, {Path: "a.go", Kind: messages.PathFile, Size: 5, Modified: time.Unix(8, 0)},
			}}, nil
		case messages.ListPermissions:
			return messages.PermissionList{Permissions: []messages.PermissionRecord{{Request: "req", Session: sessionA, Tool: "Bash", Description: "ls"}}}, nil
		case messages.GetTree:
			return messages.TreeNode{Name: "daemon", State: "running", Children: []messages.TreeNode{{Name: "journal", State: "backing off", Restarts: 2}}}, nil
		case messages.GetHealth:
			return messages.HealthView{Components: []messages.ComponentHealth{{Name: "sqlite", Serving: true}}, Metadata: map[string]string{"version": "1"}}, nil
		}
		return nil, nil
	}}
}

func TestCommandRegistry(t *testing.T) {
	conn, _ := serve(t, commandAsker())
	client, ctx := pb.NewCommandServiceClient(conn), as(t, "c")
	ours := must[*pb.GetCommandRegistryResponse](t)(client.GetCommandRegistry(ctx, &pb.GetCommandRegistryRequest{})).GetCommands()
	if len(ours) != len(serviceCommands)+1 || ours[0].GetExecutionMode() != pb.ExecutionMode_EXECUTION_MODE_LOCAL {
		t.Errorf("%v", ours)
	}
	all := must[*pb.GetCommandRegistryResponse](t)(client.GetCommandRegistry(ctx, &pb.GetCommandRegistryRequest{SessionId: sessionA})).GetCommands()
	var got []string
	for _, e := range all[len(ours):] {
		if e.GetExecutionMode() != pb.ExecutionMode_EXECUTION_MODE_PASSTHROUGH {
			t.Errorf("%v", e)
		}
		got = append(got, e.GetDisplayName()+" "+strings.TrimPrefix(e.GetCategory().String(), "COMMAND_CATEGORY_")+" "+e.GetSource()+" "+e.GetArgsSchema())
	}
	want := []string{
		"/compact CLAUDE_CODE claude ", `/fixit CLAUDE_CODE claude {"description":"\"issue\"","type":"string"}`, "/mcp__github__review MCP mcp:github ",
		"/tidy SKILL claude ", "/tools:lint CLAUDE_CODE plugin:tools ",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	if _, err := client.GetCommandRegistry(ctx, &pb.GetCommandRegistryRequest{SessionId: "x"}); status.Code(err) != codes.InvalidArgument {
		t.Errorf("%v", err)
	}
}

func TestListAgents(t *testing.T) {
	conn, _ := serve(t, commandAsker())
	client, ctx := pb.NewCommandServiceClient(conn), as(t, "c")
	for _, c := range []struct {
		query string
		most  uint32
		want  string
	}{
		{"", 0, "aaaa0000 demo broken Explore subagent subagent subagent Explore reviewer"},
		{"", 2, "aaaa0000 demo"},
		{"@DE", 0, "demo"},
		{"e", 0, "Explore Explore"},
		{"nobody", 0, ""},
	} {
		r := must[*pb.ListAgentsResponse](t)(client.ListAgents(ctx, &pb.ListAgentsRequest{Query: c.query, MaxResults: c.most}))
		var names []string
		for _, a := range r.GetAgents() {
			names = append(names, a.GetName())
		}
		if strings.Join(names, " ") != c.want {
			t.Errorf("%q: %v", c.query, r)
		}
	}
	r := must[*pb.ListAgentsResponse](t)(client.ListAgents(ctx, &pb.ListAgentsRequest{})).GetAgents()
	if r[0].GetStatus() != pb.CommandAgentStatus_COMMAND_AGENT_STATUS_WORKING || r[0].GetKind() != pb.AgentKind_AGENT_KIND_DAEMON_ORCHESTRATED ||
		r[2].GetStatus() != pb.CommandAgentStatus_COMMAND_AGENT_STATUS_FAILED || r[7].GetKind() != pb.AgentKind_AGENT_KIND_CLAUDE_INTERNAL || r[7].GetSessionId() != sessionA || r[7].GetTaskId() != "" {
		t.Errorf("%v", r)
	}
	if a := r[3]; a.GetKind() != pb.AgentKind_AGENT_KIND_CLAUDE_INTERNAL || a.GetSessionId() != keyA || a.GetTaskId() != "t1" || a.GetToolUseId() != "u1" ||
		a.GetDescription() != "look" || !a.GetBackground() || a.GetStatus() != pb.CommandAgentStatus_COMMAND_AGENT_STATUS_WORKING {
		t.Errorf("%v", a)
	}
	for i, want := range map[int]pb.CommandAgentStatus{
		4: pb.CommandAgentStatus_COMMAND_AGENT_STATUS_FAILED, 5: pb.CommandAgentStatus_COMMAND_AGENT_STATUS_DONE, 6: pb.CommandAgentStatus_COMMAND_AGENT_STATUS_IDLE,
	} {
		if r[i].GetStatus() != want {
			t.Errorf("%v", r[i])
		}
	}
	one := must[*pb.ListAgentsResponse](t)(client.ListAgents(ctx, &pb.ListAgentsRequest{SessionId: sessionA})).GetAgents()
	if len(one) != 3 || one[0].GetName() != "demo" || one[1].GetName() != "Explore" {
		t.Errorf("of one session: %v", one)
	}
	if _, err := client.ListAgents(ctx, &pb.ListAgentsRequest{SessionId: "nobody"}); status.Code(err) != codes.NotFound {
		t.Errorf("%v", err)
	}
}

func TestListPath(t *testing.T) {
	asker := commandAsker()
	conn, _ := serve(t, asker)
	client, ctx := pb.NewCommandServiceClient(conn), as(t, "c")
	r := must[*pb.ListPathResponse](t)(client.ListPath(ctx, &pb.ListPathRequest{Query: "s", MaxResults: 2, SessionId: "demo"}))
	if e := r.GetEntries(); !r.GetTruncated() || len(e) != 2 || e[0].GetKind() != pb.PathKind_PATH_KIND_DIRECTORY || e[0].GetModifiedAt() != 7 ||
		e[1].GetKind() != pb.PathKind_PATH_KIND_FILE || e[1].GetSize() != 5 || e[1].GetPath() != "a.go" {
		t.Errorf("%v", r)
	}
	must[*pb.ListPathResponse](t)(client.ListPath(ctx, &pb.ListPathRequest{}))
	asked := asker.saw()
	if last := asked[len(asked)-2].(messages.ResolveSession); last.Reference != "@last" {
		t.Errorf("%+v", last)
	}
	if limit := asked[len(asked)-1].(messages.ListPath).Limit; limit != defaultCompletions {
		t.Errorf("limit %d", limit)
	}
	for _, query := range []string{"../", strings.Repeat("a", 5000)} {
		if _, err := client.ListPath(ctx, &pb.ListPathRequest{Query: query}); status.Code(err) != codes.InvalidArgument {
			t.Errorf("%.9q: %v", query, err)
		}
	}
}

func TestExecuteServiceCommand(t *testing.T) {
	conn, _ := serve(t, commandAsker())
	client := pb.NewCommandServiceClient(conn)
	for _, c := range []struct {
		command string
		args    []string
		session string
		code    int32
		says    string // part of the output
	}{
		{"help", nil, "", 0, "tree         the actors"},
		{"/status", nil, "", 0, "Daemon: SERVING\n  journal: SERVING\n  local_server: SERVING\nUptime: \nVersion: 1\n"},
		{"tree", nil, "", 0, "daemon  running\n  journal  backing off  restarts=2\n"},
		{"permissions", nil, "", 0, "req  " + sessionA + "  Bash  ls\n"},
		{"permissions", nil, sessionA, 0, "req  "},
		{"sessions", nil, "", 0, "3 of 3 sessions\n"},
		{"tree", []string{"; rm -rf /"}, "", 5, "tree takes no arguments"},
	} {
		stream, err := client.ExecuteServiceCommand(as(t, "c"), &pb.ExecuteServiceCommandRequest{Command: c.command, Args: c.args, SessionId: c.session})
		if err != nil {
			t.Fatal(err)
		}
		output, code, over := "", int32(-1), false
		for {
			r, err := stream.Recv()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil || over {
				t.Fatalf("%s: %v, something behind the end: %v", c.command, err, over)
			}
			if e, ok := r.GetOutput().(*pb.ServiceCommandOutput_ExitCode); ok {
				code, over = e.ExitCode, true
				continue
			}
			output += r.GetStdoutLine() + r.GetStderrLine() + "\n"
		}
		if code != c.code || !strings.Contains(output, c.says) {
			t.Errorf("%s: exit %d\n%s", c.command, code, output)
		}
	}
	conn, _ = serve(t, &fakeAsker{answer: func(messages.Request) (messages.Reply, error) { return nil, errors.New("no tree") }})
	failing, _ := pb.NewCommandServiceClient(conn).ExecuteServiceCommand(as(t, "c"), &pb.ExecuteServiceCommandRequest{Command: "tree"})
	if r, err := failing.Recv(); err != nil || !strings.Contains(r.GetError(), "no tree") {
		t.Errorf("failed: %v %v", r, err)
	}
	stream, _ := client.ExecuteServiceCommand(as(t, "c"), &pb.ExecuteServiceCommandRequest{Command: "sh"})
	if _, err := stream.Recv(); status.Code(err) != codes.NotFound || !strings.Contains(err.Error(), "permissions, sessions") {
		t.Errorf("unknown: %v", err)
	}
}

func TestPluginsAreToCome(t *testing.T) {
	conn, _ := serve(t, &fakeAsker{})
	client, ctx := pb.NewCommandServiceClient(conn), as(t, "c")
	for name, err := range map[string]error{
		"list":    second(client.ListPlugins(ctx, &pb.ListPluginsRequest{})),
		"status":  second(client.GetPluginStatus(ctx, &pb.GetPluginStatusRequest{})),
		"add":     second(client.AddPlugin(ctx, &pb.AddPluginRequest{})),
		"remove":  second(client.RemovePlugin(ctx, &pb.RemovePluginRequest{})),
		"enable":  second(client.EnablePlugin(ctx, &pb.EnablePluginRequest{})),
		"disable": second(client.DisablePlugin(ctx, &pb.DisablePluginRequest{})),
	} {
		if status.Code(err) != codes.Unimplemented || !strings.Contains(err.Error(), "no plugins") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
