package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/exit"
	pb "betcode/proto/betcode/v1"
)

// maxOptionFile bounds a file that becomes an option, in bytes. The daemon takes as much.
const maxOptionFile = 64 << 10

// optionFlags returns options of the agent, with the names that Claude Code gives them.
func optionFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "effort", Usage: "how hard the model works: `LEVEL` is low, medium, high, xhigh or max"},
		&cli.StringFlag{Name: "thinking", Usage: "whether the model thinks: `MODE` is enabled, adaptive or disabled"},
		&cli.UintFlag{Name: "max-thinking-tokens", Usage: "at most `N` tokens of thinking, for models with such a bound"},
		&cli.UintFlag{Name: "max-turns", Usage: "end a turn after `N` requests to the model"},
		&cli.Float64Flag{Name: "max-budget-usd", Usage: "end a turn when the session has cost `AMOUNT` US dollars"},
		&cli.StringFlag{Name: "agent", Usage: "have the agent definition `NAME` answer"},
		&cli.StringFlag{Name: "agents", Usage: "agent definitions: a JSON object, or a `FILE` with one"},
		&cli.StringSliceFlag{Name: "tools", Usage: "`TOOLS` that the agent has, of those built in; \"\" for none"},
		&cli.StringFlag{Name: "mcp-config", Usage: "start the MCP servers in `FILE`"},
		&cli.BoolFlag{Name: "strict-mcp-config", Usage: "start no MCP servers but those of --mcp-config"},
		&cli.BoolFlag{Name: "fleet", Usage: "give the agent tools to start subagents and to direct them"},
		&cli.GenericFlag{Name: "add-dir", Value: &pathList{}, Usage: "let the agent work in `DIRECTORY` too; may be given several times"},
		&cli.StringFlag{Name: "append-system-prompt", Usage: "add `TEXT` to the agent's system prompt"},
	}
}

// optionNames returns the names of those flags.
func optionNames() []string {
	var names []string
	for _, f := range optionFlags() {
		names = append(names, f.Names()[0])
	}
	return names
}

// options reads those flags; nil if none is given. The daemon validates the values.
func (p group) options(c *cli.Context) (*pb.AgentOptions, error) {
	set := false
	for _, name := range optionNames() {
		set = set || c.IsSet(name)
	}
	if !set {
		return nil, nil
	}
	o := &pb.AgentOptions{
		Effort: c.String("effort"), Thinking: c.String("thinking"), MaxThinkingTokens: clampUint(c.Uint("max-thinking-tokens")),
		MaxTurns: clampUint(c.Uint("max-turns")), MaxBudgetUsd: c.Float64("max-budget-usd"), Agent: c.String("agent"),
		Tools: tools(c.StringSlice("tools")), AppendSystemPrompt: c.String("append-system-prompt"), StrictMcpConfig: c.Bool("strict-mcp-config"),
		Fleet: c.Bool("fleet"),
	}
	o.NoTools = c.IsSet("tools") && len(o.Tools) == 0
	for name, zero := range map[string]bool{
		"max-turns": o.MaxTurns == 0, "max-budget-usd": o.MaxBudgetUsd == 0, "max-thinking-tokens": o.MaxThinkingTokens == 0,
	} {
		if c.IsSet(name) && zero {
			return nil, exit.Usage(fmt.Errorf("--%s must be above 0", name))
		}
	}
	directories, _ := c.Generic("add-dir").(*pathList)
	for _, dir := range directories.paths {
		full, err := filepath.Abs(dir)
		if err != nil {
			return nil, fmt.Errorf("find --add-dir: %w", err)
		}
		o.AdditionalDirectories = append(o.AdditionalDirectories, full)
	}
	var err error
	if agents := strings.TrimSpace(c.String("agents")); strings.HasPrefix(agents, "{") {
		o.Agents = []byte(agents)
	} else if agents != "" {
		if o.Agents, err = optionFile("agents", agents); err != nil {
			return nil, err
		}
	}
	if file := c.String("mcp-config"); file != "" {
		o.McpConfig, err = optionFile("mcp-config", file)
	}
	return o, err
}

// pathList is a repeatable flag. Unlike the lists of the library it is not split at commas, which may be in a path.
type pathList struct{ paths []string }

// Set implements [cli.Generic].
func (l *pathList) Set(path string) error {
	if path == "" {
		return errors.New("the path is empty")
	}
	l.paths = append(l.paths, path)
	return nil
}

// String implements [cli.Generic].
func (l *pathList) String() string { return strings.Join(l.paths, " ") }

// optionFile reads a file that is an option. Its errors never quote the file.
func optionFile(flag, path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, exit.Usage(fmt.Errorf("--%s: %w", flag, err))
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxOptionFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("--%s: %w", flag, err)
	case len(text) > maxOptionFile:
		return nil, exit.Usage(fmt.Errorf("--%s: %s has more than %d bytes", flag, path, maxOptionFile))
	case len(text) == 0:
		return nil, exit.Usage(fmt.Errorf("--%s: %s is empty", flag, path))
	}
	return text, nil
}

// clampUint converts a number for the wire. The daemon refuses the largest value.
func clampUint(n uint) uint32 {
	const most = 1<<32 - 1
	return uint32(min(uint64(n), most))
}

// shownOptions returns options for a person, one per line.
func shownOptions(o *pb.AgentOptions) []string {
	var lines []string
	add := func(name, value string) {
		if value != "" {
			lines = append(lines, strings.TrimSpace(name+" "+value))
		}
	}
	count := func(n uint32) string {
		if n == 0 {
			return ""
		}
		return strconv.FormatUint(uint64(n), 10)
	}
	add("effort", o.GetEffort())
	add("thinking", o.GetThinking())
	add("max-thinking-tokens", count(o.GetMaxThinkingTokens()))
	add("max-turns", count(o.GetMaxTurns()))
	if o.GetMaxBudgetUsd() > 0 {
		add("max-budget-usd", strconv.FormatFloat(o.GetMaxBudgetUsd(), 'f', -1, 64))
	}
	add("agent", o.GetAgent())
	add("agents", strings.Join(o.GetAgentNames(), ", "))
	add("tools", strings.Join(o.GetTools(), ", "))
	if o.GetNoTools() {
		add("tools", "none")
	}
	add("mcp-config", strings.Join(o.GetMcpServerNames(), ", "))
	if o.GetStrictMcpConfig() {
		add("strict-mcp-config", " ")
	}
	for _, dir := range o.GetAdditionalDirectories() {
		add("add-dir", dir)
	}
	add("append-system-prompt", o.GetAppendSystemPrompt())
	return lines
}
