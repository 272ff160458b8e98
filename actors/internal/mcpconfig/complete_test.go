package mcpconfig

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"betcode/messages"
)

// Facts about servers that an agent does not report are read from its files.
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
		if got := Complete(r, project, environment).Servers; !slices.Equal(got, want) {
			t.Errorf("%v: %+v", environment, got)
		}
	}
	if r.Servers[0].Type != "" {
		t.Error("the report itself was changed")
	}
	if got := Complete(r, project, []string{"HOME=/none"}).Servers; got[0].Type != "" || got[1].Type != "http" {
		t.Errorf("%+v", got)
	}
}
