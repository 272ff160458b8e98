package trust

import (
	"fmt"
	"slices"
	"strings"

	"betcode/messages"
)

// Withheld counts what is not in effect: "2 hooks, 1 MCP server".
func Withheld(g messages.Guard) string {
	names := []struct{ kind, one, many string }{
		{"hook", "hook", "hooks"},
		{"server", "MCP server", "MCP servers"},
		{"allow", "allow rule", "allow rules"},
		{"helper", "helper command", "helper commands"},
		{"env", "environment variable", "environment variables"},
		{"shell", "embedded shell command", "embedded shell commands"},
		{"setting", "setting", "settings"},
		{"prompt", "command, skill or agent", "commands, skills or agents"},
		{"file", "other file", "other files"},
		{"git", "program that git runs", "programs that git runs"},
		{"task", "scheduled prompt", "scheduled prompts"},
		{"broken", "unreadable file", "unreadable files"},
	}
	var parts []string
	for _, n := range names {
		count := 0
		for _, f := range g.Withheld {
			if f.Kind == n.kind {
				count++
			}
		}
		switch {
		case count == 1:
			parts = append(parts, "1 "+n.one)
		case count > 1:
			parts = append(parts, fmt.Sprintf("%d %s", count, n.many))
		}
	}
	parts = append(parts, g.Problems[:min(len(g.Problems), 3)]...)
	if len(parts) == 0 {
		return "files were removed since"
	}
	return strings.Join(parts, ", ")
}

// Files are the files that are not obeyed.
func Files(g messages.Guard) []string {
	var files []string
	for _, f := range g.Withheld {
		if !slices.Contains(files, f.Path) {
			files = append(files, f.Path)
		}
	}
	return files[:min(len(files), 50)]
}
