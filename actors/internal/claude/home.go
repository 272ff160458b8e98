package claude

import (
	"cmp"
	"path/filepath"
	"strings"
)

// Home returns the directory of the agent's transcripts.
func Home(environment []string) string {
	home, configured := Places(environment)
	return cmp.Or(configured, filepath.Join(home, ".claude"))
}

// Transcripts returns the files of a conversation of an agent with this environment: none, or one for each directory in which
// the agent had it.
func Transcripts(environment []string, conversation string) ([]string, error) {
	return filepath.Glob(filepath.Join(Home(environment), "projects", "*", conversation+".jsonl"))
}

// Memory returns the file in which the agent stores, among much else, the MCP servers
// that the user has added.
func Memory(environment []string) string {
	home, configured := Places(environment)
	return filepath.Join(cmp.Or(configured, home), ".claude.json")
}

// Places returns the home of an agent, and the configuration directory if the environment
// sets one.
func Places(environment []string) (home, configured string) {
	for _, entry := range environment {
		if dir, ok := strings.CutPrefix(entry, "CLAUDE_CONFIG_DIR="); ok && dir != "" {
			configured = dir
		}
		if dir, ok := strings.CutPrefix(entry, "HOME="); ok {
			home = dir
		}
	}
	return home, configured
}
