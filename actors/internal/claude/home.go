package claude

import (
	"cmp"
	"path/filepath"
	"strings"
)

// Home is where the agent keeps its transcripts.
func Home(environment []string) string {
	home, configured := Places(environment)
	return cmp.Or(configured, filepath.Join(home, ".claude"))
}

// Transcripts returns the files of a conversation of an agent with this environment: none, or one for each directory in which the
// agent had it.
func Transcripts(environment []string, conversation string) ([]string, error) {
	return filepath.Glob(filepath.Join(Home(environment), "projects", "*", conversation+".jsonl"))
}

// Memory is the file in which the agent keeps, among much else, which MCP servers
// the user has told it of.
func Memory(environment []string) string {
	home, configured := Places(environment)
	return filepath.Join(cmp.Or(configured, home), ".claude.json")
}

// Places are the home of an agent, and the directory that it was told to use
// instead of those in it, if it was.
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
