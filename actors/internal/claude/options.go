package claude

import (
	"strconv"
	"strings"

	"betcode/messages"
)

// optionArguments returns a session's options for the command line. MCP servers are not among
// them: they are passed in a file when the agent starts ([Restrict]). Each list is followed
// by another option, so that nothing is taken for a member of it.
func optionArguments(op string, given messages.AgentOptions) ([]string, error) {
	o, err := given.Checked()
	if err != nil {
		return nil, messages.Errorf(op, messages.Invalid, "option: %w", err)
	}
	var argv []string
	add := func(flag, value string) {
		if value != "" {
			argv = append(argv, flag, value)
		}
	}
	number := func(n uint32) string {
		if n == 0 {
			return ""
		}
		return strconv.FormatUint(uint64(n), 10)
	}
	add("--effort", o.Effort)
	add("--thinking", o.Thinking)
	add("--max-thinking-tokens", number(o.MaxThinkingTokens))
	add("--max-turns", number(o.MaxTurns))
	if o.MaxBudgetUSD > 0 {
		add("--max-budget-usd", strconv.FormatFloat(o.MaxBudgetUSD, 'f', -1, 64))
	}
	add("--agents", string(o.Agents))
	add("--agent", o.Agent)
	add("--append-system-prompt", o.AppendSystemPrompt)
	if o.NoTools || len(o.Tools) > 0 {
		argv = append(argv, "--tools", strings.Join(o.Tools, ",")) // empty: none
	}
	if len(o.Directories) > 0 {
		argv = append(append(argv, "--add-dir"), o.Directories...)
	}
	return argv, nil
}
