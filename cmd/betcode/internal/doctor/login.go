package doctor

import (
	"encoding/json"
	"os"
	"path/filepath"

	"betcode/config"
)

// credentials are the environment variables with which Claude Code needs no login.
var credentials = []string{
	"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN",
	"CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY",
}

// loginOf finds what the agent can log in with. It reads names and no secrets, but for the settings file of Claude Code,
// of which it keeps whether a helper is named.
func loginOf(w config.Environment) Login {
	for _, name := range credentials {
		if w.Getenv(name) != "" {
			return Login{Variable: name}
		}
	}
	dir, err := w.AgentDir()
	if err != nil {
		return Login{Hidden: w.OS == "darwin"}
	}
	if path := filepath.Join(dir, ".credentials.json"); isFile(path) {
		return Login{File: path}
	}
	path := filepath.Join(dir, "settings.json")
	var settings struct {
		Helper string `json:"apiKeyHelper"`
	}
	if raw, err := os.ReadFile(path); err == nil && json.Unmarshal(raw, &settings) == nil && settings.Helper != "" {
		return Login{File: path}
	}
	return Login{Hidden: w.OS == "darwin"}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
