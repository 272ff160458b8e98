package messages

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of [AgentOptions].
const (
	maxOptionTurns    = 10_000
	maxOptionBudget   = 1_000_000   // US dollars
	maxOptionThinking = 1_000_000   // tokens
	maxOptionBytes    = 64 << 10    // of a text; the kernel accepts arguments below 128 KiB
	maxOptionName     = 128         // bytes
	maxOptionEntries  = 64          // directories, agents, servers
	maxOptionTools    = 200         // names
	maxOptionPath     = 4096        // bytes
	leastBudget       = 0.000_000_1 // US dollars; smaller numbers would be formatted with an exponent
)

var (
	efforts   = []string{"low", "medium", "high", "xhigh", "max"}
	thinkings = []string{"enabled", "adaptive", "disabled"}
	plainName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_:.@/ -]*$`)
)

// Checked returns the options as they are passed to the agent, or an error that names the
// invalid option. It does no I/O.
func (o AgentOptions) Checked() (AgentOptions, error) {
	for _, check := range []func(*AgentOptions) error{
		checkChoices, checkNumbers, checkTools, checkPrompt, checkDirectories, checkAgents, checkServers,
	} {
		if err := check(&o); err != nil {
			return AgentOptions{}, err
		}
	}
	return o, nil
}

func checkChoices(o *AgentOptions) error {
	switch {
	case o.Effort != "" && !slices.Contains(efforts, o.Effort):
		return fmt.Errorf("effort %.40q is none of %s", o.Effort, strings.Join(efforts, ", "))
	case o.Thinking != "" && !slices.Contains(thinkings, o.Thinking):
		return fmt.Errorf("thinking %.40q is none of %s", o.Thinking, strings.Join(thinkings, ", "))
	case o.Thinking == "disabled" && o.MaxThinkingTokens != 0:
		return errors.New("thinking disabled and max_thinking_tokens contradict each other")
	}
	agent, err := Argument(o.Agent)
	switch {
	case err != nil:
		return fmt.Errorf("agent %w", err)
	case agent != "" && (len(agent) > maxOptionName || !plainName.MatchString(agent)):
		return fmt.Errorf("agent %.40q is not a name", agent)
	}
	o.Agent = agent
	return nil
}

func checkNumbers(o *AgentOptions) error {
	switch {
	case o.MaxTurns > maxOptionTurns:
		return fmt.Errorf("max_turns is %d, and not from 1 to %d", o.MaxTurns, maxOptionTurns)
	case o.MaxThinkingTokens > maxOptionThinking:
		return fmt.Errorf("max_thinking_tokens is %d, and not from 1 to %d", o.MaxThinkingTokens, maxOptionThinking)
	case math.IsNaN(o.MaxBudgetUSD), o.MaxBudgetUSD < 0, o.MaxBudgetUSD > maxOptionBudget, o.MaxBudgetUSD > 0 && o.MaxBudgetUSD < leastBudget:
		return fmt.Errorf("max_budget_usd is %v, and not above 0 and at most %d", o.MaxBudgetUSD, maxOptionBudget)
	}
	return nil
}

func checkTools(o *AgentOptions) error {
	if o.NoTools && len(o.Tools) > 0 {
		return errors.New("tools and no_tools contradict each other")
	}
	if len(o.Tools) > maxOptionTools {
		return fmt.Errorf("tools has %d entries, at most %d are taken", len(o.Tools), maxOptionTools)
	}
	tools := make([]string, 0, len(o.Tools))
	for _, tool := range o.Tools {
		name, err := Argument(tool)
		if err != nil {
			return fmt.Errorf("tools: an entry %w", err)
		}
		if len(name) > maxOptionName || !plainName.MatchString(name) || strings.ContainsAny(name, " ,") {
			return fmt.Errorf("tools: %.40q is not the name of a tool", name)
		}
		tools = append(tools, name)
	}
	if len(tools) > 0 {
		o.Tools = tools
	}
	return nil
}

// checkPrompt accepts text of several lines, and emoji. Like [Argument], it refuses
// control characters and text that could be read as an option.
func checkPrompt(o *AgentOptions) error {
	text := strings.TrimFunc(o.AppendSystemPrompt, unicode.IsSpace)
	hidden := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
	switch {
	case strings.HasPrefix(strings.TrimLeftFunc(text, blank), "-"):
		return fmt.Errorf("append_system_prompt %w", ErrArgumentDash)
	case len(text) > maxOptionBytes:
		return fmt.Errorf("append_system_prompt has %d bytes, at most %d are taken", len(text), maxOptionBytes)
	case strings.ContainsFunc(text, hidden), !utf8.ValidString(text):
		return errors.New("append_system_prompt has control characters")
	}
	o.AppendSystemPrompt = text
	return nil
}

func checkDirectories(o *AgentOptions) error {
	if len(o.Directories) > maxOptionEntries {
		return fmt.Errorf("additional_directories has %d entries, at most %d are taken", len(o.Directories), maxOptionEntries)
	}
	var all []string
	for _, dir := range o.Directories {
		switch {
		case len(dir) > maxOptionPath, strings.ContainsFunc(dir, invisible), !utf8.ValidString(dir):
			return fmt.Errorf("additional_directories: %.80q is no path, or has characters that cannot be shown", dir)
		case !filepath.IsAbs(dir):
			return fmt.Errorf("additional_directories: %.80q is not absolute", dir)
		}
		if dir = filepath.Clean(dir); !slices.Contains(all, dir) {
			all = append(all, dir)
		}
	}
	o.Directories = all
	return nil
}

func checkAgents(o *AgentOptions) error {
	if len(o.Agents) == 0 {
		return nil
	}
	var definitions map[string]json.RawMessage
	text, err := compactObject("agents", o.Agents, &definitions)
	if err != nil {
		return err
	}
	if err := checkMembers("agents", definitions); err != nil {
		return err
	}
	for name, raw := range definitions {
		var definition struct{ Description, Prompt string }
		if json.Unmarshal(raw, &definition) != nil || definition.Description == "" || definition.Prompt == "" {
			return fmt.Errorf("agents: %q has no description, or no prompt", name)
		}
	}
	o.Agents = text
	return nil
}

// checkServers never quotes the configuration: it may hold secrets.
func checkServers(o *AgentOptions) error {
	if len(o.Servers) == 0 {
		o.Servers = nil
		return nil
	}
	var config struct {
		Servers map[string]json.RawMessage `json:"mcpServers"`
	}
	text, err := compactObject("mcp_config", o.Servers, &config)
	if err != nil {
		return err
	}
	o.Servers = text
	if config.Servers == nil {
		return errors.New(`mcp_config has no object "mcpServers"`)
	}
	if _, taken := config.Servers[FleetServer]; taken && o.Fleet {
		return errors.New("mcp_config has a server " + FleetServer + ", which is the name of the fleet server")
	}
	return checkMembers("mcp_config", config.Servers)
}

// compactObject decodes a JSON object and returns it compacted. Its errors do not quote
// the text, which may contain secrets.
func compactObject(option string, text []byte, into any) ([]byte, error) {
	if len(text) > maxOptionBytes {
		return nil, fmt.Errorf("%s has %d bytes, at most %d are taken", option, len(text), maxOptionBytes)
	}
	var out bytes.Buffer
	if !utf8.Valid(text) || json.Compact(&out, text) != nil || json.Unmarshal(text, into) != nil || out.Bytes()[0] != '{' {
		return nil, fmt.Errorf("%s is not a JSON object of the expected shape", option)
	}
	return out.Bytes(), nil
}

// checkMembers checks that each member has a plain name and is an object.
func checkMembers(option string, members map[string]json.RawMessage) error {
	if len(members) > maxOptionEntries {
		return fmt.Errorf("%s has %d entries, at most %d are taken", option, len(members), maxOptionEntries)
	}
	for name, raw := range members {
		if len(name) > maxOptionName || !plainName.MatchString(name) {
			return fmt.Errorf("%s: %.40q is not a name", option, name)
		}
		if !bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) {
			return fmt.Errorf("%s: %q is not an object", option, name)
		}
	}
	return nil
}
