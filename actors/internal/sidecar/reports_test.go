package sidecar

import (
	"os"
	"path/filepath"
	"testing"

	"betcode/messages"
)

func TestReportFiles(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "a")
	r := messages.AgentReport{Session: "a", Version: "1", Tools: []string{"Bash"}, Servers: []messages.McpServer{{Name: "x", Status: "failed"}}}
	if err := WriteReport(directory, r); err != nil {
		t.Errorf("of a session that was deleted: %v", err)
	}
	if err := os.Mkdir(directory, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := WriteReport(directory, r); err != nil {
		t.Fatal(err)
	}
	if got, found := ReadReport(directory); !found || got.Version != "1" || got.Servers[0] != r.Servers[0] || got.Tools[0] != "Bash" {
		t.Errorf("%+v %v", got, found)
	}
	if err := os.WriteFile(filepath.Join(directory, reportName), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, found := ReadReport(directory); found {
		t.Error("half a report was taken")
	}
}
