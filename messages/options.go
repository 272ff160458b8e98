package messages

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// AgentOptions are options of the agent's command line besides its model, its mode and
// its rules. They are set when a session is created, journaled with it, and apply to each
// of its agents. The zero value leaves all options to the agent's defaults.
type AgentOptions struct {
	Effort             string   // "low" to "max"
	Thinking           string   // "enabled", "adaptive" or "disabled"
	MaxThinkingTokens  uint32   // tokens
	MaxTurns           uint32   // requests to the model that one message may cause
	MaxBudgetUSD       float64  // US dollars that all agents of the session may cost together
	Agent              string   // name of the agent definition to use
	Tools              []string // built-in tools that the agent has
	NoTools            bool     // no built-in tools
	AppendSystemPrompt string
	Directories        []string // additional working directories: absolute, with symbolic links resolved
	Agents             []byte   // definitions by name, a JSON object
	Servers            Secret   // MCP servers, {"mcpServers": {…}}
	OnlyServers        bool     // no MCP servers besides those
	Fleet              bool     // use the fleet server, regardless of the setting
}

// FleetServer is the name of the MCP server through which an agent starts subagents.
const FleetServer = "betcode"

// Secret is text that must not reach a log, an event or a client. Package fmt prints only its length.
type Secret []byte

// Format implements [fmt.Formatter].
func (s Secret) Format(f fmt.State, _ rune) { fmt.Fprintf(f, "[%d bytes withheld]", len(s)) }

// Empty reports whether no option is set.
func (o AgentOptions) Empty() bool { return len(o.Names()) == 0 }

// Names returns the names of the options that are set, as on the agent's command line.
func (o AgentOptions) Names() []string {
	var names []string
	for _, option := range []struct {
		name string
		set  bool
	}{
		{"effort", o.Effort != ""},
		{"thinking", o.Thinking != ""},
		{"max-thinking-tokens", o.MaxThinkingTokens != 0},
		{"max-turns", o.MaxTurns != 0},
		{"max-budget-usd", o.MaxBudgetUSD != 0},
		{"agent", o.Agent != ""},
		{"tools", o.NoTools || len(o.Tools) > 0},
		{"append-system-prompt", o.AppendSystemPrompt != ""},
		{"add-dir", len(o.Directories) > 0},
		{"agents", len(o.Agents) > 0},
		{"mcp-config", len(o.Servers) > 0},
		{"strict-mcp-config", o.OnlyServers},
		{"fleet", o.Fleet},
	} {
		if option.set {
			names = append(names, option.name)
		}
	}
	return names
}

// Widening returns the names of the set options that let the agent do more, or start
// programs. Setting one approves it in advance.
func (o AgentOptions) Widening() []string {
	return slices.DeleteFunc(o.Names(), func(name string) bool {
		return !slices.Contains([]string{"add-dir", "agent", "agents", "mcp-config", "fleet"}, name)
	})
}

// AgentNames returns the names of the agents that Agents defines.
func (o AgentOptions) AgentNames() []string { return namesIn(o.Agents) }

// ServerNames returns the names of the MCP servers in Servers.
func (o AgentOptions) ServerNames() []string {
	var config struct {
		Servers json.RawMessage `json:"mcpServers"`
	}
	if json.Unmarshal(o.Servers, &config) != nil {
		return nil
	}
	return namesIn(config.Servers)
}

// namesIn returns the sorted names of the members of a JSON object.
func namesIn(object []byte) []string {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(members))
}
