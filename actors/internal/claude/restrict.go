package claude

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Restriction keeps an agent from running what the files of its directory ask for.
type Restriction struct {
	Guarded bool     // the agent ignores everything that its directories bring along
	Servers string   // path of a file with MCP servers that are started all the same; empty = none
	Strict  bool     // no other MCP servers; otherwise those of the user's own settings and plugins too
	Ask     []string // rules for calls that the agent asks about while it is restricted

	// HooksOff: the user's settings turn off all hooks, which a directory cannot undo.
	HooksOff bool
}

// Restrict appends a restriction to a command line.
//
// With --setting-sources user the agent reads no settings, commands, skills, agents
// or .mcp.json of the directory, of those above it and of those below it, neither when it starts nor
// when they appear later (measured with 2.1.330). That also leaves out the user's own servers
// for that directory, so they are passed in a file.
func Restrict(argv []string, r Restriction) []string {
	out := withAsk(append([]string(nil), argv...), r.Ask)
	if r.HooksOff {
		out = withHooksOff(out)
	}
	if r.Servers != "" {
		out = append(out, "--mcp-config", r.Servers)
	}
	if r.Guarded {
		out = append(out, "--setting-sources", "user")
	}
	if r.Strict {
		out = append(out, "--strict-mcp-config")
	}
	return out
}

// cronVariable turns off prompts that the agent runs on a schedule. The agent also reads them
// from .claude/scheduled_tasks.json of its directory, whatever the setting sources are.
const cronVariable = "CLAUDE_CODE_DISABLE_CRON"

// RestrictEnviron returns an environment with the variables of a restriction. If the
// directory has nothing that would be obeyed, the user's own setting of schedules counts.
func RestrictEnviron(environment []string, r Restriction) []string {
	set := slices.ContainsFunc(environment, func(v string) bool { return strings.HasPrefix(v, cronVariable+"=") })
	if set && !r.Strict {
		return nil
	}
	return []string{cronVariable + "=1"}
}

// withAsk adds ask rules to those of a command line.
func withAsk(argv, ask []string) []string {
	if len(ask) == 0 {
		return argv
	}
	var handed delegatedSettings
	for n := 0; n+1 < len(argv); n++ {
		if argv[n] == settingsFlag && json.Unmarshal([]byte(argv[n+1]), &handed) == nil {
			handed.Permissions.Ask = append(handed.Permissions.Ask, ask...)
			argv[n+1] = handed.encode()
			return argv
		}
	}
	return append(argv, settingsFlag, DelegatedRules{Ask: ask}.settings())
}

// MergeServers returns a configuration for --mcp-config with the servers of several, of
// which later ones win. Empty ones are left out; it returns nil if there is none.
func MergeServers(configs ...[]byte) []byte {
	var all struct {
		Servers map[string]json.RawMessage `json:"mcpServers"`
	}
	for _, config := range configs {
		if len(config) > 0 && json.Unmarshal(config, &all) != nil { // adds to the servers in all
			return nil
		}
	}
	if len(all.Servers) == 0 {
		return nil
	}
	text, err := json.Marshal(all)
	if err != nil { // it was just decoded
		return nil
	}
	return text
}

// ServerConfig returns a configuration for --mcp-config with one server: a program that uses its standard input and output.
func ServerConfig(name, program string, args []string, environment map[string]string) ([]byte, error) {
	type server struct {
		Type    string            `json:"type"`
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env"`
	}
	return json.Marshal(map[string]map[string]server{"mcpServers": {name: {"stdio", program, args, environment}}})
}

// OwnServers returns a configuration for --mcp-config with the MCP servers that the
// user has added: those for the given project directories, the nearest first, and with
// everywhere also those for all projects. memory is the agent's .claude.json. It
// returns nil if there are none.
func OwnServers(memory []byte, everywhere bool, projects ...string) []byte {
	type servers struct {
		Servers map[string]json.RawMessage `json:"mcpServers"`
	}
	var all struct {
		servers
		Projects map[string]servers `json:"projects"`
	}
	if json.Unmarshal(memory, &all) != nil {
		return nil
	}
	out := servers{Servers: map[string]json.RawMessage{}}
	if everywhere {
		maps.Copy(out.Servers, all.Servers)
	}
	for i := len(projects) - 1; i >= 0; i-- {
		maps.Copy(out.Servers, all.Projects[projects[i]].Servers)
	}
	if len(out.Servers) == 0 {
		return nil
	}
	text, err := json.Marshal(out)
	if err != nil { // it was just decoded
		return nil
	}
	return text
}
