package mcpconfig

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"betcode/messages"
)

// A file of any kind under that name configures nothing and blocks no caller: a
// named pipe that is never written to, a directory, an endless file.
func TestServersOfNoFile(t *testing.T) {
	for what, put := range map[string]func(path string) error{
		"pipe":      func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"directory": func(path string) error { return os.Mkdir(path, 0o700) },
		"endless":   func(path string) error { return os.Symlink("/dev/zero", path) },
		"too large": func(path string) error {
			if err := os.WriteFile(path, []byte(`{"mcpServers":{"x":{"command":"c"}}}`), 0o600); err != nil {
				return err
			}
			return os.Truncate(path, maxFile+1)
		},
	} {
		directory := t.TempDir()
		if err := put(filepath.Join(directory, ".mcp.json")); err != nil {
			t.Fatal(err)
		}
		r := messages.AgentReport{Servers: []messages.McpServer{{Name: "x", Status: "failed"}}}
		if got := Complete(r, directory, []string{"HOME=/none"}).Servers; len(got) != 1 || got[0].Type != "" {
			t.Errorf("%s: %+v", what, got)
		}
	}
}
