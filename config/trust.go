package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"betcode/config/trust"
)

// The settings files of a directory that the daemon reads too, and the file with the directory's MCP servers.
var (
	ownSettings = []string{LocalFile, ProjectFile} // in order of precedence
	ownServers  = ".mcp.json"
)

// WriteLedger replaces the list of trusted directories in a configuration directory, which it
// creates if it does not exist.
func WriteLedger(configDir string, l trust.Ledger) error {
	raw, err := l.Encode()
	if err != nil {
		return fmt.Errorf("write trusted directories: %w", err)
	}
	if err := os.MkdirAll(configDir, 0o700); err != nil {
		return fmt.Errorf("write trusted directories: %w", err)
	}
	return replaceFile(filepath.Join(configDir, trust.FileName), raw)
}

func behindLinks(dir string) string {
	if found, err := filepath.EvalSymlinks(dir); err == nil {
		return found
	}
	return filepath.Clean(dir)
}

// OwnSettings returns the settings files in a directory. In the home directory these are the
// user's own, so it returns none.
func OwnSettings(dir, home string) []string {
	if home != "" && behindLinks(dir) == behindLinks(home) {
		return nil
	}
	var found []string
	for _, name := range append(slices.Clone(ownSettings), ownServers) {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			found = append(found, name)
		}
	}
	return found
}
