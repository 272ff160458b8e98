package doctor

import (
	"encoding/json"
	"os"
	"path/filepath"

	"betcode/config"
	"betcode/messages/regular"
)

// credentials are the environment variables with which Claude Code needs no login.
var credentials = []string{
	"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN",
	"CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY",
}

// mostLogin is the maximum size of a file with a login, in bytes.
const mostLogin = 32 << 20

// loginOf finds the credentials of the agent. Of the files of Claude Code it keeps only whether
// they have a login: a file of credentials without one is left over after a logout, or has logins
// of MCP servers only.
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
	global := filepath.Join(dir, ".claude.json")
	if home, err := w.Home(); err == nil && w.Getenv("CLAUDE_CONFIG_DIR") == "" {
		global = filepath.Join(home, ".claude.json")
	}
	for _, path := range []string{filepath.Join(dir, ".credentials.json"), filepath.Join(dir, "settings.json"), global} {
		var file struct {
			Account struct {
				Token string `json:"accessToken"`
			} `json:"claudeAiOauth"`
			Helper string `json:"apiKeyHelper"`
			Key    string `json:"primaryApiKey"`
		}
		raw, err := regular.Read(path, mostLogin)
		if err == nil && json.Unmarshal(raw, &file) == nil && file.Account.Token+file.Helper+file.Key != "" {
			return Login{File: path}
		}
	}
	return Login{Hidden: w.OS == "darwin"}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
