package run

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"betcode/messages"
)

// Files of a run directory. The first is removed when the run has ended, because MCP servers may have secrets in their
// environment.
const (
	ServersFile = "mcp.json"
	GuardFile   = "trust.json"
)

// ReadGuard returns the guard with which a run was started. Runs of former versions have none.
func ReadGuard(directory string) messages.Guard {
	var guard messages.Guard
	text, err := os.ReadFile(filepath.Join(directory, GuardFile))
	if err != nil || json.Unmarshal(text, &guard) != nil {
		return messages.Guard{}
	}
	return guard
}

// DropServers removes the servers of a run that has ended.
func DropServers(directory string) {
	if err := os.Remove(filepath.Join(directory, ServersFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return // it stays until its session is deleted, readable by this user only
	}
}
