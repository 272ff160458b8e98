package checks

import (
	"errors"
	"testing"
	"time"

	"betcode/messages"
)

func TestSpawn(t *testing.T) {
	env := func(name string) messages.SpawnSubagent {
		return messages.SpawnSubagent{Environment: map[string]string{name: "x"}}
	}
	tool := func(text string) messages.SpawnSubagent {
		return messages.SpawnSubagent{Tools: []string{text}}
	}
	for name, c := range map[string]struct {
		m    messages.SpawnSubagent
		code messages.Code // of a refusal
		ok   bool
	}{
		"nothing":               {ok: true},
		"tools":                 {m: messages.SpawnSubagent{Tools: []string{"Read", "Bash(git *)", "mcp__github__get_issue", "mcp__github__*", "TodoWrite"}}, ok: true},
		"auto-approve":          {m: messages.SpawnSubagent{AutoApprove: true, Tools: []string{"Read"}, Auto: messages.AutoApproveLimits{Duration: time.Hour, PerMinute: 600}}, ok: true},
		"approve everything":    {m: messages.SpawnSubagent{AutoApprove: true}, code: messages.PermissionConfig},
		"limits of nothing":     {m: messages.SpawnSubagent{Auto: messages.AutoApproveLimits{Unfenced: true}}, code: messages.PermissionConfig},
		"too long":              {m: messages.SpawnSubagent{AutoApprove: true, Tools: []string{"Read"}, Auto: messages.AutoApproveLimits{Duration: 25 * time.Hour}}},
		"too fast":              {m: messages.SpawnSubagent{AutoApprove: true, Tools: []string{"Read"}, Auto: messages.AutoApproveLimits{PerMinute: 601}}},
		"too late":              {m: messages.SpawnSubagent{Timeout: 8 * 24 * time.Hour}},
		"a negative budget":     {m: messages.SpawnSubagent{BudgetUSD: -1}},
		"an unknown tool":       {m: tool("Raed")},
		"all MCP tools":         {m: tool("mcp__*")},
		"every tool":            {m: tool("*")},
		"an unreadable pattern": {m: tool("Bash(git")},
		"its own variable":      {m: env("TICKET"), ok: true},
		"PATH":                  {m: env("PATH")},
		"a library":             {m: env("LD_PRELOAD")},
		"of Node":               {m: env("NODE_OPTIONS")},
		"of git":                {m: env("GIT_SSH_COMMAND")},
		"of the agent":          {m: env("CLAUDE_CONFIG_DIR")},
		"another API":           {m: env("ANTHROPIC_BASE_URL")},
		"of the daemon":         {m: env("BETCODE_RUN_TOKEN")},
		"a proxy":               {m: env("https_proxy")},
		"HOME":                  {m: env("HOME")},
		"no name of a variable": {m: env("A=B")},
	} {
		err := Spawn(c.m)
		var refused *messages.Error
		switch {
		case c.ok && err != nil:
			t.Errorf("%s: %v", name, err)
		case !c.ok && (!errors.As(err, &refused) || refused.Kind != messages.Invalid || refused.Code != c.code || refused.Hint == ""):
			t.Errorf("%s: %#v", name, err)
		}
	}
}
