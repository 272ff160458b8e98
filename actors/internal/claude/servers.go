package claude

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"

	"betcode/messages"
)

// serverConfig is how an agent is told to reach an MCP server, as far as it may be
// shown: what stands in arguments, headers, environments, and in an address beside its
// host, may be a secret, and is not even decoded or dropped at once.
type serverConfig struct {
	Type    string `json:"type"`
	Command string `json:"command"`
	URL     string `json:"url"`
}

// kind is the transport: a configuration need not name that of a program.
func (c serverConfig) kind() string {
	if c.Type == "" && c.Command != "" {
		return "stdio"
	}
	return key(c.Type)
}

// endpoint is the program, or the scheme and the host of the address.
func (c serverConfig) endpoint() string {
	if c.URL == "" {
		return oneLine(c.Command, maxCarried)
	}
	address, err := url.Parse(c.URL)
	if err != nil || address.Host == "" {
		return ""
	}
	return oneLine((&url.URL{Scheme: address.Scheme, Host: address.Host}).String(), maxCarried)
}

// ConfiguredServers reads the files that tell agents in a directory of their MCP servers:
// .claude.json of their home and .mcp.json of the directory. What is for this directory
// alone in the first counts before the second, and that before what is for all. Nothing is
// known of their status. A file that cannot be understood has none.
func ConfiguredServers(home, project []byte, directory string) []messages.McpServer {
	type servers struct {
		Servers map[string]json.RawMessage `json:"mcpServers"`
	}
	var own, shared servers
	var all struct {
		servers
		Projects map[string]servers `json:"projects"`
	}
	_ = json.Unmarshal(home, &all) // with an error they hold what could be read
	_ = json.Unmarshal(project, &shared)
	own = all.Projects[directory]
	var known []messages.McpServer
	for _, list := range []servers{own, shared, all.servers} {
		for _, name := range slices.Sorted(maps.Keys(list.Servers)) {
			var c serverConfig
			taken := slices.ContainsFunc(known, func(s messages.McpServer) bool { return s.Name == key(name) })
			if !taken && len(known) < maxReported && json.Unmarshal(list.Servers[name], &c) == nil {
				known = append(known, messages.McpServer{Name: key(name), Type: c.kind(), Endpoint: c.endpoint()})
			}
		}
	}
	return known
}
