package conformance

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/grpc/codes"

	pb "betcode/proto/betcode/v1"
)

// settingsStories are about settings from files and from clients.
var settingsStories = []story{
	{name: "settings", run: settings},
	{name: "mcp servers", env: []string{"FAKE_AGENT_MCP=github=connected broken=failed"}, run: mcpServers},
	{name: "directories", run: directories},
	{name: "first run", run: firstRun},
}

// settings: they are read and changed, and those of a directory apply.
func settings(s *stage) {
	ctx, api := s.Context(), pb.NewConfigServiceClient(s.daemon.Conn())
	got, err := api.UpdateSettings(ctx, &pb.UpdateSettingsRequest{
		Scope: "user",
		Settings: &pb.Settings{
			Daemon:      &pb.DaemonSettings{MaxSubprocesses: 3, LogLevel: "debug", MaxPayloadBytes: 8 << 20, SocketPath: s.world.Socket()},
			Sessions:    &pb.SessionSettings{DefaultModel: "opus", AutoCompactThreshold: 100_000, AutoCompact: true},
			Permissions: &pb.PermissionSettings{ConnectedTimeoutSecs: 7200, DisconnectedTimeoutSecs: 7200, ActivityRefreshEnabled: true},
		},
	})
	s.must(err)
	if got.GetDaemon().GetMaxSubprocesses() != 3 || got.GetSessions().GetDefaultModel() != "opus" || got.GetPermissions().GetConnectedTimeoutSecs() != 7200 {
		s.Errorf("it says %v", got)
	}
	s.took("UpdateSettingsRequest", "settings", "scope")
	got, err = api.GetSettings(ctx, &pb.GetSettingsRequest{Scope: "user"})
	s.must(err)
	if len(got.GetValues()) == 0 {
		s.Errorf("the file says %v", got)
	}
	s.took("GetSettingsRequest", "scope")
	s.cli(0, "config", "set", "agent.silence", "5m")
	_, err = api.UpdateSettings(ctx, &pb.UpdateSettingsRequest{Revision: got.GetRevision(), Values: map[string]string{"agent.silence": "6m"}})
	s.refused(err, codes.Aborted, "changed since")

	project := func(name, model string) {
		s.write(filepath.Join(s.world.Project, ".claude", name), `{"model": "`+model+`", "permissions": {"allow": ["Bash"]}}`)
	}
	look := func() string {
		here, err := api.GetSettings(ctx, &pb.GetSettingsRequest{WorkingDirectory: s.world.Project})
		s.must(err)
		return here.GetSessions().GetDefaultModel()
	}
	project("settings.json", "sonnet")
	if model := look(); model != "opus" {
		s.Errorf("an untrusted directory says %q", model)
	}
	_, err = s.daemon.Admin().TrustDirectory(ctx, &pb.TrustDirectoryRequest{Directory: s.world.Project})
	s.must(err)
	if model := look(); model != "sonnet" {
		s.Errorf("a trusted directory says %q", model)
	}
	s.shows("Config Resolution", "3. .claude/settings.json")
	project("settings.local.json", "haiku")
	if model := look(); model != "opus" {
		s.Errorf("a directory with a file that was not reviewed says %q", model)
	}
	_, err = s.daemon.Admin().TrustDirectory(ctx, &pb.TrustDirectoryRequest{Directory: s.world.Project})
	s.must(err)
	if model := look(); model != "haiku" {
		s.Errorf("its own file says %q", model)
	}
	s.shows("Config Resolution", "2. .claude/settings.local.json")
	all, err := api.GetSettings(ctx, &pb.GetSettingsRequest{})
	s.must(err)
	if p := all.GetPermissions(); len(p.GetAutoApproveDirectories()) != 1 || p.GetAutoApproveDirectories()[0] != s.world.Project {
		s.Errorf("approved by themselves are %v", p)
	}

	s.must(config(s.world, "{\"permissions\": {\n \"allow\": [\"Read\"], \"deny\": [\"WebFetch\"],\n \"ask\": [\"Bash(git push *)\"]}}"))
	id := session()
	s.eventually("the rules are read", func() bool {
		rules, err := api.GetPermissions(ctx, &pb.GetPermissionsRequest{WorkingDirectory: s.world.Home})
		return err == nil && len(rules.GetDeniedTools()) == 1
	})
	s.turn(s.converse("a", &pb.StartConversation{SessionId: id}), 0, "echo:hello")
	if model := s.show(id).GetSummary().GetModel(); !strings.Contains(model, "haiku") && !strings.Contains(strings.Join(s.arguments(id), " "), "--model haiku") {
		s.Errorf("the model is %q", model)
	}
	rules, err := api.GetPermissions(ctx, &pb.GetPermissionsRequest{SessionId: id})
	s.must(err)
	if len(rules.GetRules()) < 3 || rules.GetDeniedTools()[0] != "WebFetch" || len(rules.GetRequireApproval()) != 1 {
		s.Errorf("the rules are %v", rules)
	}
	s.took("GetPermissionsRequest", "session_id")
	got, err = api.GetSettings(ctx, &pb.GetSettingsRequest{})
	s.must(err)
	if !got.GetPermissions().GetEnableAutoApprove() {
		s.Errorf("with an allow rule: %v", got.GetPermissions())
	}

	port := s.freePort()
	got, err = api.UpdateSettings(ctx, &pb.UpdateSettingsRequest{Scope: "user", Settings: &pb.Settings{Daemon: &pb.DaemonSettings{Port: port}}})
	s.must(err)
	if got.GetDaemon().GetPort() != port {
		s.Errorf("the port is %d", got.GetDaemon().GetPort())
	}
	_, err = s.daemon.Stop()
	s.must(err)
	s.start()
	if address := s.logged("daemon listens on TCP")["address"]; address != fmt.Sprintf("127.0.0.1:%d", port) {
		s.Errorf("after a restart it listens on %v", address)
	}
	s.took("DaemonSettings", "port")
}

// freePort returns a port without a listener.
func (s *stage) freePort() uint32 {
	s.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	s.must(err)
	defer l.Close()
	return uint32(l.Addr().(*net.TCPAddr).Port)
}

// firstRun: a command copies settings from the agent's own directory.
func firstRun(s *stage) {
	home := filepath.Join(s.world.Root, "strange")
	s.write(filepath.Join(home, ".claude", "settings.json"), `{"model": "opus", "permissions": {"deny": ["WebFetch"]}}`)
	s.write(filepath.Join(home, ".claude", "rules", "go.md"), "Write Go.")
	s.must(os.Symlink("go.md", filepath.Join(home, ".claude", "rules", "link.md")))
	mine := filepath.Join(home, "mine")
	env := append(s.world.Environ(), "HOME="+home, "CLAUDE_CONFIG_DIR=", "BETCODE_CONFIG_DIR="+mine, "BETCODE_SOCKET="+filepath.Join(mine, "s"))
	if said, code := s.command(env, "import"); code != 0 || !strings.Contains(said, "3 of 3 files were copied") {
		s.Errorf("exit %d\n%s", code, said)
	}
	if said, code := s.command(env, "config", "get", "model"); code != 0 || strings.TrimSpace(said) != "opus" {
		s.Errorf("the model is %q, exit %d", said, code)
	}
	for _, name := range []string{"settings.json", "rules/go.md", "rules/link.md"} {
		if info, err := os.Lstat(filepath.Join(mine, name)); err != nil || !info.Mode().IsRegular() {
			s.Errorf("%s: %v, %v", name, info, err)
		}
	}
	s.shows("Config Resolution", "First-run: import from ~/.claude", "First-run: copies, not symlinks")
}

// mcpServers are those that agents report.
func mcpServers(s *stage) {
	api := pb.NewConfigServiceClient(s.daemon.Conn())
	s.must(os.WriteFile(filepath.Join(s.world.Home, ".claude.json"), []byte(`{"mcpServers": {"github": {"command": "/bin/github"}}}`), 0o600))
	s.turn(s.converse("a", &pb.StartConversation{}), 0, "echo:hello")
	s.eventually("the servers are known", func() bool {
		list, err := api.ListMcpServers(s.Context(), &pb.ListMcpServersRequest{})
		return err == nil && len(list.GetServers()) == 2
	})
	list, err := api.ListMcpServers(s.Context(), &pb.ListMcpServersRequest{StatusFilter: "running"})
	s.must(err)
	if l := list.GetServers(); len(l) != 1 || l[0].GetName() != "github" || len(l[0].GetTools()) != 1 ||
		l[0].GetStatus() != pb.McpServerStatus_MCP_SERVER_STATUS_RUNNING || l[0].GetServerType() != "stdio" || l[0].GetEndpoint() != "/bin/github" {
		s.Errorf("running: %v", list)
	}
	s.took("ListMcpServersRequest", "status_filter")
}

// directories: the default places of settings and sockets.
func directories(s *stage) {
	runtime := filepath.Dir(filepath.Dir(s.world.Socket()))
	without := func(names ...string) (env []string) {
		for _, entry := range s.world.Environ() {
			name, _, _ := strings.Cut(entry, "=")
			if !slices.Contains(names, name) {
				env = append(env, entry)
			}
		}
		return env
	}
	env := append(without("BETCODE_SOCKET"), "XDG_RUNTIME_DIR="+runtime)
	if said, code := s.command(env, "daemon", "status"); code != 0 {
		s.Errorf("the socket is not found in the runtime directory: exit %d\n%s", code, said)
	}
	s.shows("Local Server Transport", "Unix: the socket in the runtime directory")
	xdg := filepath.Join(s.world.Root, "xdg")
	s.write(filepath.Join(xdg, "betcode", "settings.json"), `{"sessions": {"default_model": "from-xdg"}}`)
	env = append(without("BETCODE_CONFIG_DIR", "BETCODE_SOCKET", "XDG_RUNTIME_DIR"), "XDG_CONFIG_HOME="+xdg, "XDG_RUNTIME_DIR="+xdg)
	if said, code := s.command(env, "config", "show", "--origins"); code != 0 || !strings.Contains(said, "from-xdg") {
		s.Errorf("exit %d\n%s", code, said)
	}
	s.shows("Config Resolution", "Linux: $XDG_CONFIG_HOME/betcode")
	if _, err := os.Stat(filepath.Join("/run/user", strconv.Itoa(os.Getuid()))); err == nil {
		env = append(without("BETCODE_SOCKET", "XDG_RUNTIME_DIR"), "XDG_RUNTIME_DIR=")
	} else {
		env = without("BETCODE_SOCKET", "XDG_RUNTIME_DIR")
	}
	want := filepath.Join(s.world.ConfigDir(), "daemon.sock")
	if said, _ := s.command(env, "session", "list"); !strings.Contains(said, want) {
		s.Errorf("%s is not where the socket is looked for:\n%s", want, said)
	}
	s.shows("Local Server Transport", "Unix: the socket in the configuration directory otherwise")
}
