package mcpconfig

import (
	"path/filepath"
	"slices"

	"betcode/actors/internal/claude"
	"betcode/messages"
	"betcode/messages/regular"
)

// maxFile bounds a file, in bytes. The user's file contains much besides servers, and that of a directory may be of any
// size.
const maxFile = 32 << 20

// Read returns the content of a file that configures servers, nil if it is missing, too large, or not a regular file.
func Read(path string) []byte {
	content, _ := regular.Read(path, maxFile)
	return content
}

// Complete returns a report with the type and endpoint of each server whose configuration is found, which the agent does not
// report. environment is that of the agent; directory is its working directory.
func Complete(r messages.AgentReport, directory string, environment []string) messages.AgentReport {
	if len(r.Servers) == 0 {
		return r
	}
	home, project := Read(claude.Memory(environment)), Read(filepath.Join(directory, ".mcp.json"))
	r.Servers = slices.Clone(r.Servers)
	for _, known := range claude.ConfiguredServers(home, project, directory) {
		if i := slices.IndexFunc(r.Servers, func(s messages.McpServer) bool { return s.Name == known.Name }); i >= 0 {
			r.Servers[i].Type, r.Servers[i].Endpoint = known.Type, known.Endpoint
		}
	}
	return r
}
