package checks

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"betcode/actors/internal/rules"
	"betcode/messages"
)

// Bounds of the settings of a subagent.
const (
	maxSubagentTools     = 256
	maxSubagentVariables = 64
	maxVariableBytes     = 32 << 10
	maxAutoApprove       = 24 * time.Hour
	maxSubagentTime      = 7 * 24 * time.Hour
	maxPerMinute         = 600
)

// Spawn checks the parts of a request to spawn a subagent that need no other facts, in the order of the API document:
// auto-approve has tools, every tool is known, times and rates are in range, variables are harmless.
func Spawn(m messages.SpawnSubagent) error {
	const op = "spawn subagent"
	invalid := func(hint, format string, args ...any) error {
		return messages.Errorf(op, messages.Invalid, format, args...).WithHint(hint)
	}
	switch a := m.Auto; {
	case m.AutoApprove && len(m.Tools) == 0:
		return messages.Errorf(op, messages.Invalid, "auto_approve without allowed_tools would approve every tool").
			WithCode(messages.PermissionConfig).WithHint("name the tools whose calls need no person, or leave auto_approve out")
	case len(m.Tools) > maxSubagentTools:
		return invalid("name fewer tools", "allowed_tools has %d entries, at most %d are taken", len(m.Tools), maxSubagentTools)
	case unknownTool(m.Tools) != nil:
		return unknownTool(m.Tools)
	case !m.AutoApprove && a != messages.AutoApproveLimits{}:
		return messages.Errorf(op, messages.Invalid, "auto_approve_config without auto_approve").WithCode(messages.PermissionConfig).
			WithHint("set auto_approve, or leave auto_approve_config out")
	case a.Duration < 0 || a.Duration > maxAutoApprove:
		return invalid("give a duration of at most a day", "auto-approve for %s is not from 1 s to %s", a.Duration, maxAutoApprove)
	case a.PerMinute > maxPerMinute:
		return invalid("allow fewer calls", "max_calls_per_minute is %d, and not from 1 to %d", a.PerMinute, maxPerMinute)
	case m.Timeout < 0 || m.Timeout > maxSubagentTime:
		return invalid("give a shorter time", "timeout_seconds is %.0f, and not from 1 to %.0f", m.Timeout.Seconds(), maxSubagentTime.Seconds())
	case math.IsNaN(m.BudgetUSD) || m.BudgetUSD < 0:
		return invalid("give a budget above 0, or none", "budget_usd is %v", m.BudgetUSD)
	}
	return variables(op, m.Environment)
}

// unknownTool refuses a tool that no agent has, or a pattern that cannot be parsed. Any name of an MCP server's tool is accepted.
func unknownTool(tools []string) error {
	for _, tool := range tools {
		rule := rules.Rule{Effect: rules.Allow, Text: tool}
		name, _, err := rule.Split()
		if err == nil && !rules.Known(name) {
			return messages.Errorf("spawn subagent", messages.Invalid, "allowed_tools: there is no tool %.64q", name).
				With("tool", name).WithHint("name tools as permission rules do: Read, Bash(git *), mcp__server__tool")
		}
		if _, problems := rules.New(rule); len(problems) > 0 {
			err = problems[0].Err
		}
		if err != nil {
			return messages.Errorf("spawn subagent", messages.Invalid, "allowed_tools: %.64q: %w", tool, err).
				With("tool", tool).WithHint("name tools as permission rules do: Read, Bash(git *), mcp__server__tool")
		}
	}
	return nil
}

// variableName is compiled on first use, because most commands do not need it.
var variableName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`) })

// ofAgent begin the names of variables that belong to the agent or to the daemon: credentials, hosts, switches.
var ofAgent = []string{"ANTHROPIC_", "CLAUDE", "BETCODE_", "DISABLE_", "MCP_", "AWS_", "GOOGLE_", "VERTEX_", "CLOUD_ML_", "AZURE_", "OTEL_", "XDG_", "TMP", "BUN_"}

// traffic are variables that redirect connections, or change which servers they trust.
var traffic = []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "USER", "LOGNAME", "USERPROFILE"}

// variables refuses variables that change which programs run, what they load, or what an agent may do.
func variables(op string, environment map[string]string) error {
	const hint = "give only variables of your own programs"
	if len(environment) > maxSubagentVariables {
		return messages.Errorf(op, messages.Invalid, "env has %d variables, at most %d are taken", len(environment), maxSubagentVariables).WithHint(hint)
	}
	for name, value := range environment {
		upper := strings.ToUpper(name)
		of := func(prefix string) bool { return strings.HasPrefix(upper, prefix) }
		switch {
		case !variableName().MatchString(name):
			return messages.Errorf(op, messages.Invalid, "env: %.64q is not the name of a variable", name).WithHint(hint)
		case rules.Steers(name), rules.Steers(upper), slices.ContainsFunc(ofAgent, of), slices.Contains(traffic, upper),
			of("NODE_"), of("NPM_"):
			return messages.Errorf(op, messages.Invalid, "env: %s may change what the agent runs or may do", name).
				With("variable", name).WithHint(hint)
		case len(value) > maxVariableBytes, strings.ContainsRune(value, 0):
			return messages.Errorf(op, messages.Invalid, "env: the value of %s is too long, or has a NUL", name).WithHint(hint)
		}
	}
	return nil
}
