package actors

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"betcode/messages"
)

// What an agent does not say of its servers stands in its files.
func TestReportsAreCompleted(t *testing.T) {
	home, project := t.TempDir(), t.TempDir()
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(home, ".claude.json"), `{"mcpServers":{"x":{"command":"user's"},"y":{"command":"user's"},"z":{"command":"user's"}}}`)
	write(filepath.Join(project, ".mcp.json"), `{"mcpServers":{"y":{"type":"http","url":"https://h/secret"}}}`)
	r := messages.AgentReport{Servers: []messages.McpServer{{Name: "x", Status: "failed"}, {Name: "y"}, {Name: "w"}}}
	want := []messages.McpServer{
		{Name: "x", Status: "failed", Type: "stdio", Endpoint: "user's"}, {Name: "y", Type: "http", Endpoint: "https://h"}, {Name: "w"},
	}
	for _, environment := range [][]string{{"HOME=" + home}, {"HOME=/none", "CLAUDE_CONFIG_DIR=" + home}} {
		if got := complete(r, project, environment).Servers; !slices.Equal(got, want) {
			t.Errorf("%v: %+v", environment, got)
		}
	}
	if r.Servers[0].Type != "" {
		t.Error("the report itself was changed")
	}
	if got := complete(r, project, []string{"HOME=/none"}).Servers; got[0].Type != "" || got[1].Type != "http" {
		t.Errorf("%+v", got)
	}
}

func TestReportFiles(t *testing.T) {
	s := &System{options: Options{RunsDirectory: t.TempDir()}}
	r := messages.AgentReport{Session: "a", Version: "1", Tools: []string{"Bash"}, Servers: []messages.McpServer{{Name: "x", Status: "failed"}}}
	if err := s.writeReport(r, "", nil); err != nil {
		t.Errorf("of a session that was deleted: %v", err)
	}
	if err := os.Mkdir(filepath.Join(s.options.RunsDirectory, "a"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := s.writeReport(r, "", nil); err != nil {
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
