// Package toolcall describes a tool call in one line, for prompts, lists, events and notifications.
// The line begins with what the call runs or touches, taken from its input. The agent's description
// follows, marked as such. With the description alone, an agent could call anything "run the
// tests".
package toolcall

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"betcode/messages/visible"
)

// MaxLine bounds a line, and MaxWords the agent's description in it, in bytes.
const (
	MaxLine  = 480
	MaxWords = 160
)

// doing lists, for known tools, the members of the input that describe what a call does, in the
// order of the line.
var doing = map[string][]string{
	"Bash": {"command"}, "BashOutput": {"bash_id"}, "KillShell": {"shell_id"}, "PowerShell": {"command"}, "Monitor": {"command"},
	"Read": {"file_path"}, "Write": {"file_path"}, "Edit": {"file_path"}, "MultiEdit": {"file_path"}, "NotebookEdit": {"notebook_path"}, "NotebookRead": {"notebook_path"},
	"Glob": {"pattern", "path"}, "Grep": {"pattern", "path"}, "LS": {"path"}, "WebFetch": {"url"}, "WebSearch": {"query"},
	"Task": {"subagent_type", "prompt"}, "Agent": {"subagent_type", "prompt"}, "Skill": {"skill", "args"}, "SlashCommand": {"command"},
	"ExitPlanMode": {"plan"}, "PermissionMode": {"mode", "means"}, // a request by the daemon
}

// likely lists candidates for such members of unknown tools.
var likely = []string{"command", "file_path", "notebook_path", "path", "url", "pattern", "query"}

// words is the member with the agent's description of a call.
const words = "description"

// Subject returns what a call runs or touches: the command, the path, the address. Other input is
// returned as JSON, without the agent's description; empty if there is none.
func Subject(tool string, input map[string]any) string {
	members := doing[tool]
	if members == nil {
		for _, name := range likely {
			if text, ok := input[name].(string); ok && strings.TrimSpace(text) != "" {
				members = []string{name}
				break
			}
		}
	}
	var parts []string
	for _, name := range members {
		if text, ok := input[name].(string); ok && strings.TrimSpace(text) != "" {
			parts = append(parts, text)
		}
	}
	if len(parts) > 0 {
		return strings.Join(parts, joint(tool))
	}
	if text := budget(tool, input); text != "" {
		return text
	}
	rest := maps.Clone(input)
	delete(rest, words)
	if len(rest) == 0 {
		return ""
	}
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(rest) != nil {
		return strings.Join(slices.Sorted(maps.Keys(rest)), ", ")
	}
	return strings.TrimSpace(out.String())
}

// budget returns what a request of the daemon to raise a budget does; empty for any other call. Its description by the daemon
// begins with the same words.
func budget(tool string, input map[string]any) string {
	text := func(name string) string {
		s, _ := input[name].(string)
		return s
	}
	if tool != "Budget" || text("used") == "" || text("budget") == "" || text("raised") == "" {
		return ""
	}
	switch day, plan := text("day"), text("plan"); {
	case len(input) == 3:
		return "raise the budget to " + text("raised")
	case len(input) == 4 && day != "":
		return "raise the budget of all sessions for " + day + " to " + text("raised")
	case len(input) == 4 && plan != "":
		return "raise the budget of the plan to " + text("raised")
	}
	return "" // not the daemon's
}

// joint returns the separator between the members of a tool.
func joint(tool string) string {
	switch tool {
	case "Glob", "Grep":
		return " in "
	case "Task", "Agent", "PermissionMode":
		return ": "
	}
	return " "
}

// Words returns the agent's description of a call from its input; empty if it has none.
func Words(input map[string]any) string {
	text, _ := input[words].(string)
	return text
}

// Line returns a call as one line of visible text: its subject, or the tool's name if it has none,
// and the agent's description.
func Line(tool string, input map[string]any, agent string) string {
	subject := squeeze(Subject(tool, input))
	if subject == "" {
		subject = squeeze(tool)
	}
	agent = squeeze(agent)
	if agent == "" || agent == subject {
		return Cut(subject, MaxLine)
	}
	agent = ` (the agent says: "` + Cut(agent, MaxWords) + `")`
	return Cut(subject, MaxLine-len(agent)) + agent
}

// squeeze makes text visible on one line. It removes repeated spaces, which could push a part of it out of sight.
func squeeze(text string) string {
	return strings.Join(strings.FieldsFunc(visible.Line(strings.TrimSpace(text)), func(r rune) bool { return r == ' ' }), " ")
}

// Cut shortens text to most bytes. It keeps both ends, because the relevant part may follow a long beginning.
func Cut(text string, most int) string {
	const gap = " … "
	if len(text) <= most {
		return text
	}
	if most < 4*len(gap) {
		return head(text, most)
	}
	room := most - len(gap)
	return head(text, room*2/3) + gap + tail(text, room/3)
}

func head(text string, most int) string {
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

func tail(text string, most int) string {
	from := len(text) - most
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	return text[from:]
}
