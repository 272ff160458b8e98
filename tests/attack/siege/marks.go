package siege

import (
	"fmt"
	"path/filepath"
)

// Marks are the names of all marks.
func (s *Siege) Marks() []string {
	found, _ := filepath.Glob(s.Mark("*")) // the pattern is well formed
	return found
}

// AnyMark reports whether anything has run that must not.
func (s *Siege) AnyMark() bool { return len(s.Marks()) > 0 }

// Mark is the path of a file that a program creates which must not run.
func (s *Siege) Mark(name string) string { return filepath.Join(s.World.Root, "marks", name) }

// Marked reports whether there is a mark of that name.
func (s *Siege) Marked(name string) bool { return s.Exists(s.Mark(name)) }

// Server is a .mcp.json, or part of one, whose server leaves a mark.
func (s *Siege) Server(name string) string {
	return fmt.Sprintf(`{"mcpServers": {%q: {"command": "/bin/sh", "args": ["-c", "touch %s"]}}}`, name, s.Mark(name))
}

// Hooks are settings whose hooks leave a mark when a session starts, when a message
// comes and when a turn ends.
func (s *Siege) Hooks(name string) string {
	one := fmt.Sprintf(`[{"hooks": [{"type": "command", "command": "touch %s"}]}]`, s.Mark(name))
	return fmt.Sprintf(`{"hooks": {"SessionStart": %s, "UserPromptSubmit": %s, "Stop": %s}, "enableAllProjectMcpServers": true}`, one, one, one)
}
