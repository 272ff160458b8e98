package actors

import (
	"os"
	"path/filepath"
	"testing"

	"betcode/actors/internal/claude"
	"betcode/messages"
)

// What the agent says of itself is kept when it changes, and not otherwise.
func TestReported(t *testing.T) {
	b := turning(t)
	says := claude.TurnStarted{Version: "2.1.0", Tools: []string{"Bash"}, Servers: []claude.McpServer{{Name: "x", Status: "pending"}}}
	b.tell(b.out(says))
	b.expect("a first report", "keep the report of 1 tools, 1 servers")
	b.tell(b.out(says))
	b.quiet()
	says.Servers = []claude.McpServer{{Name: "x", Status: "connected"}}
	b.tell(b.out(says))
	b.expect("a server that has connected", "keep the report of 1 tools, 1 servers")
	b.tell(b.out(claude.TurnStarted{}))
	b.quiet()
}

func TestReportFiles(t *testing.T) {
	s := &System{options: Options{RunsDirectory: t.TempDir()}}
	r := messages.AgentReport{Session: "a", Version: "1", Tools: []string{"Bash"}, Servers: []messages.McpServer{{Name: "x", Status: "failed"}}}
	if err := s.writeReport(r); err != nil {
		t.Errorf("of a session that was deleted: %v", err)
	}
	if err := os.Mkdir(filepath.Join(s.options.RunsDirectory, "a"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := s.writeReport(r); err != nil {
		t.Fatal(err)
	}
	if got, found := s.readReport("a"); !found || got.Session != "a" || got.Servers[0] != r.Servers[0] || got.Tools[0] != "Bash" {
		t.Errorf("%+v %v", got, found)
	}
	if err := os.WriteFile(s.reportPath("a"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, found := s.readReport("a"); found {
		t.Error("half a report was taken")
	}
}
