package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// TrustFile is the name of the list of trusted directories in a configuration
// directory.
const TrustFile = "trusted.json"

// What a directory brings along that an agent obeys without asking anybody: rules,
// hooks, servers to start.
var (
	ownSettings = []string{LocalFile, ProjectFile} // the nearer first
	ownServers  = ".mcp.json"
)

// Trust is the directories that a user trusts: absolute paths behind symbolic
// links. What is below them is trusted too.
type Trust struct {
	Directories []string `json:"directories"`
}

// ReadTrust reads the trusted directories of a configuration directory. No file
// means none.
func ReadTrust(configDir string) (Trust, error) {
	var t Trust
	path := filepath.Join(configDir, TrustFile)
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	if err != nil {
		return t, fmt.Errorf("read trusted directories: %w", err)
	}
	if err := json.Unmarshal(raw, &t); err != nil {
		return Trust{}, fmt.Errorf("read trusted directories: %s: %w", path, err)
	}
	return t, nil
}

// Write replaces the list of a configuration directory, which is made if need be.
func (t Trust) Write(configDir string) error {
	raw, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(configDir, 0o700); err != nil {
		return fmt.Errorf("write trusted directories: %w", err)
	}
	return replaceFile(filepath.Join(configDir, TrustFile), append(raw, '\n'))
}

// Covers reports whether a directory is trusted, itself or by one above it.
func (t Trust) Covers(dir string) bool {
	dir = behindLinks(dir)
	return slices.ContainsFunc(t.Directories, func(trusted string) bool {
		return dir == trusted || strings.HasPrefix(dir, strings.TrimSuffix(trusted, "/")+"/")
	})
}

// With returns the list with a directory in it, or taken out. Taking one out that
// is trusted only by a directory above it changes nothing.
func (t Trust) With(dir string, trusted bool) Trust {
	dir = behindLinks(dir)
	rest := slices.DeleteFunc(slices.Clone(t.Directories), func(d string) bool { return d == dir })
	if trusted {
		rest = append(rest, dir)
		slices.Sort(rest)
	}
	return Trust{Directories: rest}
}

func behindLinks(dir string) string {
	if found, err := filepath.EvalSymlinks(dir); err == nil {
		return found
	}
	return filepath.Clean(dir)
}

// OwnSettings names the files in a directory that an agent would obey without
// asking. In the home directory they are the user's own, and none is named.
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
