package claude

import (
	"encoding/json"
	"maps"
)

// Restriction keeps an agent from obeying what its directory tells it to run.
type Restriction struct {
	Servers string // path of a file with MCP servers that are started all the same; empty = none
	Strict  bool   // no other MCP servers; else those of the user's own settings and plugins, too
}

// Restrict appends a restriction to a command line.
//
// With --setting-sources user the agent reads no settings, commands, skills, agents
// or .mcp.json of the directory and of those above it, neither when it starts nor
// when they appear later (measured with 2.1.328). The user's own servers for that
// directory are left out with them, so they are handed over by name.
func Restrict(argv []string, r Restriction) []string {
	out := append([]string(nil), argv...)
	if r.Servers != "" {
		out = append(out, "--mcp-config", r.Servers)
	}
	out = append(out, "--setting-sources", "user")
	if r.Strict {
		out = append(out, "--strict-mcp-config")
	}
	return out
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
	if err != nil { // it was decoded a moment ago
		return nil
	}
	return text
}
