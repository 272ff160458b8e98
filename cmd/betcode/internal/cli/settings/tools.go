package settings

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"betcode/config"
)

// agentTools are the tools of the supported versions of Claude Code. A rule may name others: of MCP servers, and patterns.
var agentTools = []string{
	"Agent", "AskUserQuestion", "Bash", "BashOutput", "Edit", "EnterPlanMode", "EnterWorktree", "ExitPlanMode", "ExitWorktree", "Glob", "Grep", "KillBash", "KillShell", "LS",
	"LSP", "ListMcpResourcesTool", "MultiEdit", "NotebookEdit", "NotebookRead", "PowerShell", "Read", "ReadMcpResourceTool", "SendMessage", "Skill", "SlashCommand", "Task",
	"TaskCreate", "TaskGet", "TaskList", "TaskOutput", "TaskStop", "TaskUpdate", "TodoRead", "TodoWrite", "ToolSearch", "WebFetch", "WebSearch", "Write",
}

// unknownTools returns a warning for each rule in a file that names a tool which the agent does not have: the rule never
// matches.
func unknownTools(file *config.File) []error {
	rules := file.FileRules()
	var found []error
	for _, list := range []struct {
		name  string
		rules []string
	}{{"allow", rules.Allow}, {"ask", rules.Ask}, {"deny", rules.Deny}} {
		for _, rule := range list.rules {
			tool, _, _ := strings.Cut(rule, "(")
			if tool = strings.TrimSpace(tool); tool == "" || strings.HasPrefix(tool, "mcp__") || strings.ContainsAny(tool, "*?") || slices.Contains(agentTools, tool) {
				continue
			}
			text := fmt.Sprintf("%s rule %s: this version of betcode knows no tool %s, so the rule matches nothing", list.name, rule, tool)
			if i := slices.IndexFunc(agentTools, func(known string) bool { return strings.EqualFold(known, tool) }); i >= 0 {
				text += "; its name is " + agentTools[i]
			}
			if line := rules.Lines[list.name+" "+rule]; line > 0 {
				text = fmt.Sprintf("%s:%d: %s", rules.Path, line, text)
			}
			found = append(found, errors.New(text))
		}
	}
	return found
}
