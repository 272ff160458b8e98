// Package completion has the scripts with which shells complete lines of betcode, and the places where a shell looks for them.
//
// A script asks the program itself (betcode __complete), so that it also completes ids and names of running sessions.
package completion

import (
	_ "embed" // the scripts
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

var (
	//go:embed bash.sh
	bash string
	//go:embed zsh.sh
	zsh string
	//go:embed fish.fish
	fish string
	//go:embed powershell.ps1
	powershell string
)

// Shells are the names of the shells that have a script.
var Shells = []string{"bash", "zsh", "fish", "powershell"}

// Script returns the script of a shell; empty if it has none.
func Script(shell string) string {
	return map[string]string{"bash": bash, "zsh": zsh, "fish": fish, "powershell": powershell}[shell]
}

// Install writes the script where the shell of the user finds it, and returns the file. getenv reads the environment; replace replaces
// a file, and a link as such.
func Install(shell string, getenv func(string) string, replace func(path string, content []byte) error) (string, error) {
	home := getenv("HOME")
	data, config := getenv("XDG_DATA_HOME"), getenv("XDG_CONFIG_HOME")
	// Relative directories are of the current one, which may be a repository.
	if !filepath.IsAbs(home) && (!filepath.IsAbs(data) || !filepath.IsAbs(config)) {
		return "", errors.New("install completion: HOME is not set, or relative")
	}
	if !filepath.IsAbs(data) {
		data = filepath.Join(home, ".local", "share")
	}
	if !filepath.IsAbs(config) {
		config = filepath.Join(home, ".config")
	}
	var path string
	switch shell {
	case "bash":
		path = filepath.Join(data, "bash-completion", "completions", "betcode")
	case "zsh":
		path = filepath.Join(data, "zsh", "site-functions", "_betcode")
	case "fish":
		path = filepath.Join(config, "fish", "completions", "betcode.fish")
	default:
		return "", fmt.Errorf("install completion: %s has no directory for it; add to its profile: betcode completion %[1]s | Out-String | Invoke-Expression", shell)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // shells of other users may read it
		return "", fmt.Errorf("install completion: %w", err)
	}
	if err := replace(path, []byte(Script(shell))); err != nil {
		return "", fmt.Errorf("install completion: %w", err)
	}
	return path, nil
}
