package claude

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"

	"betcode/messages"
)

// serverConfig is the part of an MCP server's configuration that may be shown. Arguments,
// headers, environments, and the parts of an address beside its host may contain secrets:
// they are not decoded, or dropped at once.
type serverConfig struct {
	Type    string `json:"type"`
	Command string `json:"command"`
	URL     string `json:"url"`
}

// kind returns the transport. A configuration may leave out that of a program.
func (c serverConfig) kind() string {
	if c.Type == "" && c.Command != "" {
		return "stdio"
	}
	return key(c.Type)
}

// endpoint returns the program, or the scheme and the host of the address.
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

// ConfiguredServers reads the files that configure the MCP servers of agents in a directory:
// .claude.json of their home and .mcp.json of the directory. Servers for this directory alone
// in the first file precede the second file, which precedes servers for all directories. Their
// status is unknown. A file that cannot be parsed has no servers.
func ConfiguredServers(home, project []byte, directory string) []messages.McpServer {
	type servers struct {
		Servers map[string]json.RawMessage `json:"mcpServers"`
	}
	var own, shared servers
	var all struct {
		servers
		Projects map[string]servers `json:"projects"`
	}
	_ = json.Unmarshal(home, &all) // after an error it has the members that could be read
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
