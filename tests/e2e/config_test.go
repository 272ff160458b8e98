package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// ConfigService is the same settings that files and commands are about.
func TestConfigService(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake, "BETCODE_RESUME=never")
	config := pb.NewConfigServiceClient(s.daemon.Conn())
	got, err := config.UpdateSettings(t.Context(), &pb.UpdateSettingsRequest{
		Settings: &pb.Settings{Daemon: &pb.DaemonSettings{MaxSubprocesses: 3}},
		Values:   map[string]string{"permissions.extend_on_activity": "false", "resume.policy": "ask", "disk.low": "1MiB"},
	})
	if err != nil || got.GetDaemon().GetMaxSubprocesses() != 3 || got.GetPermissions().GetActivityRefreshEnabled() {
		t.Fatalf("%v, %v", got, err)
	}
	if len(got.GetWarnings()) != 1 || got.GetWarnings()[0].GetMessage() != "resume.policy is set by BETCODE_RESUME, which takes precedence" {
		t.Errorf("%v", got.GetWarnings())
	}
	if said := s.cli(0, "config", "show", "--origins"); !strings.Contains(said, "settings.json:") || !strings.Contains(said, "BETCODE_RESUME") {
		t.Errorf("%s", said)
	}
	if details, err := pb.NewBetCodeHealthClient(s.daemon.Conn()).GetHealthDetails(t.Context(), &pb.HealthDetailsRequest{}); err != nil || !strings.Contains(details.String(), "a restart is needed for disk.low") {
		t.Errorf("%v, %v", details, err)
	}
	file := filepath.Join(s.world.ConfigDir(), "settings.json")
	before, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(before), `"max_subprocesses": 3`) {
		t.Errorf("%s, %v", before, err)
	}
	for _, values := range []map[string]string{{"disk.low": "2MiB", "disk.high": "1"}, {"daemon.max_subprocesses": "many"}} {
		if _, err := config.UpdateSettings(t.Context(), &pb.UpdateSettingsRequest{Values: values}); status.Code(err) != codes.InvalidArgument {
			t.Errorf("%v: %v", values, err)
		}
	}
	if after, _ := os.ReadFile(file); string(after) != string(before) {
		t.Errorf("half of it was done: %s", after)
	}

	// What contradicts another setting is refused, with both; here too nothing is changed.
	_, err = config.UpdateSettings(t.Context(), &pb.UpdateSettingsRequest{Values: map[string]string{"permissions.default_ttl": "20d", "permissions.max_ttl": "10d"}})
	if status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "20d is more than permissions.max_ttl, which is 10d (") || strings.Count(err.Error(), "settings.json:") != 2 {
		t.Errorf("%v", err)
	}
	if said, code := s.command(binaries.betcode, []string{"config", "set", "permissions.max_ttl", "2d"}); code != 5 || !strings.Contains(said, "permissions.default_ttl (default): 7d is more than permissions.max_ttl") {
		t.Errorf("exit %d: %s", code, said)
	}
	if after, _ := os.ReadFile(file); string(after) != string(before) {
		t.Errorf("it was changed all the same: %s", after)
	}

	// A client that has not read the present version cannot change the file.
	seen, err := config.GetSettings(t.Context(), &pb.GetSettingsRequest{Scope: "user"})
	if err != nil || seen.GetRevision() == "" {
		t.Fatalf("%v, %v", seen, err)
	}
	s.cli(0, "config", "set", "permissions.default_ttl", "9d", "permissions.max_ttl", "10d")
	change := &pb.UpdateSettingsRequest{Revision: seen.GetRevision(), Values: map[string]string{"disk.low": "3MiB"}}
	if _, err := config.UpdateSettings(t.Context(), change); status.Code(err) != codes.Aborted {
		t.Errorf("a stale revision: %v", err)
	}
	if seen, err = config.GetSettings(t.Context(), &pb.GetSettingsRequest{Scope: "user"}); err != nil {
		t.Fatal(err)
	}
	change.Revision = seen.GetRevision()
	if got, err = config.UpdateSettings(t.Context(), change); err != nil || got.GetRevision() == seen.GetRevision() {
		t.Errorf("the present revision: %v", err)
	}
	s.cli(0, "config", "unset", "permissions.default_ttl", "permissions.max_ttl")

	// A directory's own settings, when it is trusted.
	if _, err := config.UpdateSettings(t.Context(), &pb.UpdateSettingsRequest{
		Scope: "project", WorkingDirectory: s.world.Project, Settings: &pb.Settings{Sessions: &pb.SessionSettings{DefaultModel: "haiku"}},
	}); err != nil {
		t.Fatal(err)
	}
	look := func() string {
		t.Helper()
		here, err := config.GetSettings(t.Context(), &pb.GetSettingsRequest{WorkingDirectory: s.world.Project})
		if err != nil {
			t.Fatal(err)
		}
		return here.GetSessions().GetDefaultModel()
	}
	if got := look(); got != "" {
		t.Errorf("an untrusted directory says %q", got)
	}
	s.cli(0, "trust", "--yes", s.world.Project)
	if got := look(); got != "haiku" {
		t.Errorf("a trusted directory says %q", got)
	}
	said, err := config.GetSettings(t.Context(), &pb.GetSettingsRequest{Scope: "project", WorkingDirectory: s.world.Project})
	if err != nil || len(said.GetValues()) != 1 || said.GetValues()[0].GetLine() != 2 {
		t.Errorf("%v, %v", said, err)
	}

	// Rules, with where they stand.
	s.settings("{\"permissions\": {\n \"deny\": [\"WebFetch\"],\n \"ask\": [\"Bash(git push *)\"]}}", "settings reloaded")
	id := session()
	c := s.converse("a", id)
	s.say(c, "echo:hello")
	s.wait(c, 0, kit.IsIdle)
	if got := s.show(id).GetModel(); got != "haiku" {
		t.Errorf("the model is %q", got)
	}
	rules, err := config.GetPermissions(t.Context(), &pb.GetPermissionsRequest{SessionId: id})
	if err != nil || len(rules.GetRules()) != 2 || rules.GetDeniedTools()[0] != "WebFetch" || rules.GetRules()[1].GetLine() != 3 ||
		rules.GetRules()[1].GetSource() != file || rules.GetRules()[1].GetPathPattern() != "git push *" {
		t.Errorf("%v, %v", rules, err)
	}
	if _, err := config.GetPermissions(t.Context(), &pb.GetPermissionsRequest{SessionId: session()}); status.Code(err) != codes.NotFound {
		t.Errorf("%v", err)
	}
}

// The MCP servers are those that the agent reports.
func TestRealMcpServers(t *testing.T) {
	t.Parallel()
	s, _ := newReal(t)
	servers := `{"mcpServers": {"broken": {"command": "/does/not/exist", "args": ["--token", "SECRET"]},
		"far": {"type": "http", "url": "http://me:SECRET@127.0.0.1:9/SECRET?key=SECRET", "headers": {"Authorization": "SECRET"}}}}`
	if err := os.WriteFile(s.file(".mcp.json"), []byte(servers), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(s.file(".claude"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.file(".claude/settings.json"), []byte(`{"enableAllProjectMcpServers": true}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s.cli(0, "trust", "--yes", s.world.Project)
	config := pb.NewConfigServiceClient(s.daemon.Conn())
	id := session()
	c := s.converse("a", id)
	list := func(r *pb.ListMcpServersRequest) []*pb.McpServerInfo {
		t.Helper()
		answer, err := config.ListMcpServers(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		return answer.GetServers()
	}
	from := 0
	s.eventually("a report", func() bool { // while it connects the server is pending
		s.say(c, "text hello")
		_, from = s.wait(c, from, kit.IsIdle)
		all := list(&pb.ListMcpServersRequest{SessionId: id})
		return len(all) == 2 && all[0].GetName() == "broken" && all[0].GetStatus() == pb.McpServerStatus_MCP_SERVER_STATUS_ERROR && all[0].GetErrorMessage() != ""
	})
	s.eventually("what the servers are", func() bool {
		all := list(&pb.ListMcpServersRequest{SessionId: id})
		if said := fmt.Sprint(all); strings.Contains(said, "SECRET") {
			t.Fatalf("a secret is shown: %s", said)
		}
		return all[0].GetServerType() == "stdio" && all[0].GetEndpoint() == "/does/not/exist" &&
			all[1].GetServerType() == "http" && all[1].GetEndpoint() == "http://127.0.0.1:9"
	})
	kept, err := os.ReadFile(filepath.Join(s.world.StateDir(), "runs", id, "agent.json"))
	if err != nil || strings.Contains(string(kept), "SECRET") || !strings.Contains(string(kept), `"endpoint"`) {
		t.Errorf("it is kept as %s, %v", kept, err)
	}
	if got := list(&pb.ListMcpServersRequest{StatusFilter: "running"}); len(got) != 0 {
		t.Errorf("%v", got)
	}
	if _, err := s.daemon.Admin().StopSession(t.Context(), &pb.StopSessionRequest{SessionId: id}); err != nil {
		t.Fatal(err)
	}
	if got := list(&pb.ListMcpServersRequest{}); len(got) != 2 || got[0].GetStatus() != pb.McpServerStatus_MCP_SERVER_STATUS_STOPPED || got[0].GetEndpoint() == "" {
		t.Errorf("when its agent has ended: %v", got)
	}
}

// Rate limits count from the change of the file on, also for connected clients.
func TestLimitsCountAtOnce(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	list := func() error {
		_, err := s.daemon.Agents().ListSessions(t.Context(), &pb.ListSessionsRequest{})
		return err
	}
	s.settings(`{"limits": {"requests_per_second": 1, "burst": 1}}`, "settings reloaded")
	s.eventually("the new limit counts", func() bool { return status.Code(list()) == codes.ResourceExhausted })
	s.settings(`{"limits": {"requests_per_second": 0}}`, "settings reloaded")
	s.eventually("and no limit again", func() bool {
		for range 50 {
			if list() != nil {
				return false
			}
		}
		return true
	})
}
