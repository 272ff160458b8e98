package grpcapi

import (
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"betcode/grpcapi/auth"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

func exampleSettings() messages.SettingsView {
	return messages.SettingsView{
		Values: []messages.SettingValue{
			{Name: "daemon.max_subprocesses", Value: int64(7), Text: "7", Source: "user", Origin: "/c/settings.json", Line: 3, Default: "5", Live: true},
			{Name: "daemon.state_dir", Value: "/state", Text: "/state", Source: "default", Restart: true, Running: "before"},
			{Name: "daemon.socket_path", Value: "/s", Text: "/s"},
			{Name: "daemon.listen_tcp", Value: "127.0.0.1:50051", Text: "127.0.0.1:50051"},
			{Name: "daemon.log_level", Value: "warn", Text: "warn"},
			{Name: "daemon.max_payload_bytes", Value: int64(64 << 20), Text: "64MiB"},
			{Name: "sessions.default_model", Value: "opus", Text: "opus"},
			{Name: "sessions.auto_compact", Value: true, Text: "true"},
			{Name: "sessions.auto_compact_threshold", Value: int64(150_000), Text: "150000"},
			{Name: "permissions.default_ttl", Value: 48 * time.Hour, Text: "2d"},
			{Name: "permissions.extend_on_activity", Value: true, Text: "true"},
		},
		Features: map[string]bool{"x": true}, Trusted: []string{"/w"}, Allows: true,
		Warnings: []messages.SettingWarning{{Path: "/c/settings.json", Line: 9, Column: 2, Message: "unknown"}},
	}
}

func TestGetSettings(t *testing.T) {
	asker := &fakeAsker{answer: func(messages.Request) (messages.Reply, error) { return exampleSettings(), nil }}
	conn, _ := serveAs(t, asker, auth.Unrestricted)
	config := pb.NewConfigServiceClient(conn)
	got := must[*pb.Settings](t)(config.GetSettings(as(t, "c"), &pb.GetSettingsRequest{}))
	d, s, p := got.GetDaemon(), got.GetSessions(), got.GetPermissions()
	switch {
	case d.GetMaxSubprocesses() != 7, d.GetDatabasePath() != "/state/journal", d.GetSocketPath() != "/s", d.GetLogLevel() != "warn",
		d.GetMaxPayloadBytes() != 64<<20, d.GetPort() != 50051, s.GetDefaultModel() != "opus", !s.GetAutoCompact(), s.GetAutoCompactThreshold() != 150_000,
		p.GetConnectedTimeoutSecs() != 172_800, p.GetDisconnectedTimeoutSecs() != 172_800, !p.GetActivityRefreshEnabled(), !p.GetEnableAutoApprove(),
		!slices.Equal(p.GetAutoApproveDirectories(), []string{"/w"}), !got.GetFeatureFlags()["x"], len(got.GetValues()) != 11,
		got.GetValues()[0].GetLine() != 3, got.GetValues()[0].GetOrigin() != "/c/settings.json", !got.GetValues()[1].GetRestartNeeded(), got.GetValues()[1].GetRunningValue() != "before",
		got.GetWarnings()[0].GetLine() != 9:
		t.Errorf("%v", got)
	}
	must[*pb.Settings](t)(config.GetSettings(as(t, "c"), &pb.GetSettingsRequest{Scope: "local", WorkingDirectory: "/w"}))
	if last := asker.saw()[1].(messages.GetSettings); last.Scope != messages.SettingsLocal || last.Directory != "/w" {
		t.Errorf("%+v", last)
	}
	for _, r := range []*pb.GetSettingsRequest{{Scope: "team"}, {Scope: "project"}, {Scope: "user", WorkingDirectory: "w"}} {
		if _, err := config.GetSettings(as(t, "c"), r); status.Code(err) != codes.InvalidArgument {
			t.Errorf("%v: %v", r, err)
		}
	}
}

func TestUpdateSettings(t *testing.T) {
	asker := &fakeAsker{answer: func(messages.Request) (messages.Reply, error) { return exampleSettings(), nil }}
	conn, _ := serveAs(t, asker, auth.Unrestricted)
	config := pb.NewConfigServiceClient(conn)
	must[*pb.Settings](t)(config.UpdateSettings(as(t, "c"), &pb.UpdateSettingsRequest{
		Settings: &pb.Settings{
			Daemon:       &pb.DaemonSettings{MaxSubprocesses: 3, LogLevel: "debug", MaxPayloadBytes: 8 << 20, Port: 50051},
			Sessions:     &pb.SessionSettings{AutoCompactThreshold: 9, AutoCompact: true},
			Permissions:  &pb.PermissionSettings{ConnectedTimeoutSecs: 7200, DisconnectedTimeoutSecs: 7200, ActivityRefreshEnabled: true},
			FeatureFlags: map[string]bool{"y": false},
		},
		Values: map[string]string{"disk.low": "1GiB"}, Unset: []string{"notify.exec"},
	}))
	var got []string
	for _, c := range asker.saw()[0].(messages.UpdateSettings).Changes {
		word := c.Name + "=" + c.Value
		if c.Reset {
			word = "-" + c.Name
		}
		got = append(got, word)
	}
	want := []string{
		"daemon.listen_tcp=127.0.0.1:50051", "daemon.log_level=debug", "daemon.max_payload_bytes=8388608", "daemon.max_subprocesses=3", "disk.low=1GiB", "feature_flags.y=false",
		"-notify.exec", "permissions.default_ttl=7200s", "permissions.extend_on_activity=true", "sessions.auto_compact=true",
		"sessions.auto_compact_threshold=9",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	for says, r := range map[string]*pb.UpdateSettingsRequest{
		"the request changes no setting":      {},
		"daemon.state_dir":                    {Settings: &pb.Settings{Daemon: &pb.DaemonSettings{DatabasePath: "/x"}}},
		"retention.session_max_bytes":         {Settings: &pb.Settings{Sessions: &pb.SessionSettings{MaxMessagesPerSession: 1}}},
		"permissions.allow":                   {Settings: &pb.Settings{Permissions: &pb.PermissionSettings{EnableAutoApprove: true}}},
		"betcode trust":                       {Settings: &pb.Settings{Permissions: &pb.PermissionSettings{AutoApproveDirectories: []string{"/x"}}}},
		"with and without clients differ":     {Settings: &pb.Settings{Permissions: &pb.PermissionSettings{ConnectedTimeoutSecs: 1, DisconnectedTimeoutSecs: 2}}},
		"daemon.log_level is set twice":       {Settings: &pb.Settings{Daemon: &pb.DaemonSettings{LogLevel: "info"}}, Values: map[string]string{"daemon.log_level": "warn"}},
		"daemon.log_level is set and unset":   {Settings: &pb.Settings{Daemon: &pb.DaemonSettings{LogLevel: "info"}}, Unset: []string{"daemon.log_level"}},
		"the scope project needs a directory": {Values: map[string]string{"sessions.default_model": "opus"}, Scope: "project"},
	} {
		if _, err := config.UpdateSettings(as(t, "c"), r); status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v does not say %q", r, err, says)
		}
	}
}

func TestListMcpServers(t *testing.T) {
	at := time.Unix(100, 0)
	asker := &fakeAsker{answer: func(messages.Request) (messages.Reply, error) {
		return messages.AgentReports{Reports: []messages.AgentReport{
			{
				Session: "new", Running: true, At: at, Tools: []string{"Bash", "mcp__git_hub__list", "mcp__git_hub__get", "mcp__x__y"},
				Servers: []messages.McpServer{{Name: "git hub", Status: "connected", Type: "http", Endpoint: "https://git.hub"}, {Name: "p", Status: "pending"}, {Name: "f", Status: "failed"}, {Name: "n", Status: "needs-auth"}, {Name: "d", Status: "disabled"}, {Name: "z", Status: "mad\n"}},
			},
			{Session: "old", At: at, Servers: []messages.McpServer{{Name: "p", Status: "connected"}, {Name: "gone", Status: "connected"}}},
		}}, nil
	}}
	conn, _ := serveAs(t, asker, auth.Unrestricted)
	config := pb.NewConfigServiceClient(conn)
	for filter, want := range map[string]string{
		"":                        "d STOPPED, f ERROR, git hub RUNNING, gone STOPPED, n ERROR, p STARTING, z UNSPECIFIED",
		"Error":                   "f ERROR, n ERROR",
		"MCP_SERVER_STATUS_ERROR": "f ERROR, n ERROR",
		"running":                 "git hub RUNNING",
		"stopped":                 "d STOPPED, gone STOPPED",
		"starting":                "p STARTING",
	} {
		list := must[*pb.ListMcpServersResponse](t)(config.ListMcpServers(as(t, "c"), &pb.ListMcpServersRequest{StatusFilter: filter}))
		var got []string
		for _, s := range list.GetServers() {
			got = append(got, s.GetName()+" "+strings.TrimPrefix(s.GetStatus().String(), "MCP_SERVER_STATUS_"))
			if s.GetName() == "git hub" && (!slices.Equal(s.GetTools(), []string{"list", "get"}) || s.GetSessionId() != "new" || s.GetErrorMessage() != "" ||
				s.GetServerType() != "http" || s.GetEndpoint() != "https://git.hub") {
				t.Errorf("%v", s)
			}
			if want := map[string]string{"f": "The agent could not connect to the server.", "n": "The server requires a login."}[s.GetName()]; want != "" && s.GetErrorMessage() != want {
				t.Errorf("%v", s)
			}
			if s.GetName() == "z" && s.GetErrorMessage() != `The agent reports mad\n.` {
				t.Errorf("%v", s)
			}
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q: %q", filter, got)
		}
	}
	for _, r := range []*pb.ListMcpServersRequest{{StatusFilter: "fine"}, {StatusFilter: "unspecified"}, {SessionId: "x"}} {
		if _, err := config.ListMcpServers(as(t, "c"), r); status.Code(err) != codes.InvalidArgument {
			t.Errorf("%v: %v", r, err)
		}
	}
}

func TestGetPermissions(t *testing.T) {
	asker := &fakeAsker{answer: func(messages.Request) (messages.Reply, error) {
		return messages.RuleList{Rules: []messages.RuleEntry{
			{Effect: "deny", Text: "WebFetch", Tool: "WebFetch", Source: "/c/settings.json", Line: 4},
			{Effect: "deny", Text: "Bash(rm *)", Tool: "Bash", Argument: "rm *", Source: "/c/settings.json"},
			{Effect: "ask", Text: "Edit(src/**)", Tool: "Edit", Argument: "src/**", Problem: "why not"},
			{Effect: "allow", Text: "Read", Tool: "Read", Source: "session"},
		}}, nil
	}}
	conn, _ := serveAs(t, asker, auth.Unrestricted)
	config := pb.NewConfigServiceClient(conn)
	got := must[*pb.PermissionRules](t)(config.GetPermissions(as(t, "c"), &pb.GetPermissionsRequest{SessionId: sessionA}))
	r := got.GetRules()
	switch {
	case len(r) != 4, !slices.Equal(got.GetDeniedTools(), []string{"WebFetch"}), !slices.Equal(got.GetRequireApproval(), []string{"Edit(src/**)"}),
		r[0].GetLine() != 4, r[0].GetAction() != pb.PermissionAction_PERMISSION_ACTION_DENY, r[1].GetPathPattern() != "rm *", r[1].GetToolPattern() != "Bash",
		r[1].GetPriority() <= r[2].GetPriority(), r[2].GetPriority() <= r[3].GetPriority(), r[0].GetId() == r[1].GetId(), len(r[0].GetId()) != 16,
		!strings.Contains(r[2].GetDescription(), "why not"), r[3].GetSource() != "session":
		t.Errorf("%v", got)
	}
	if m := asker.saw()[0].(messages.ListRules); m.Session != sessionA || m.Directory != "" {
		t.Errorf("%+v", m)
	}
	for _, r := range []*pb.GetPermissionsRequest{{SessionId: "x"}, {WorkingDirectory: "w"}, {SessionId: sessionA, WorkingDirectory: "/w"}} {
		if _, err := config.GetPermissions(as(t, "c"), r); status.Code(err) != codes.InvalidArgument {
			t.Errorf("%v: %v", r, err)
		}
	}
}
