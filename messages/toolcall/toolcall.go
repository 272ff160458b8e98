// Package toolcall says in one line what a tool call does, for the prompt, lists, events
// and notifications: what runs or is touched first, by the input itself, and behind it
// the agent's own description, marked as its words. A description alone would let an
// agent call anything "run the tests".
package toolcall

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"betcode/messages/visible"
)

// MaxLine bounds a line in bytes, MaxWords the agent's words in it.
const (
	MaxLine  = 480
	MaxWords = 160
)

// doing is, for the tools that are known, the members of the input that say what a call
// does, the first of them at the beginning.
var doing = map[string][]string{
	"Bash": {"command"}, "BashOutput": {"bash_id"}, "KillShell": {"shell_id"}, "PowerShell": {"command"}, "Monitor": {"command"},
	"Read": {"file_path"}, "Write": {"file_path"}, "Edit": {"file_path"}, "MultiEdit": {"file_path"}, "NotebookEdit": {"notebook_path"}, "NotebookRead": {"notebook_path"},
	"Glob": {"pattern", "path"}, "Grep": {"pattern", "path"}, "LS": {"path"}, "WebFetch": {"url"}, "WebSearch": {"query"},
	"Task": {"subagent_type", "prompt"}, "Agent": {"subagent_type", "prompt"}, "Skill": {"skill", "args"}, "SlashCommand": {"command"},
	"ExitPlanMode": {"plan"}, "PermissionMode": {"mode", "means"}, // a request of the daemon's own
}

// likely are such members of tools that are not known.
var likely = []string{"command", "file_path", "notebook_path", "path", "url", "pattern", "query"}

// words is the member with the agent's own description of a call.
const words = "description"

// Subject is what a call runs or touches: the command, the path, the address. Input that
// says nothing of the kind is shown as JSON, without the agent's words; empty if there
// is none.
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

// joint stands between the members of a tool.
func joint(tool string) string {
	switch tool {
	case "Glob", "Grep":
		return " in "
	case "Task", "Agent", "PermissionMode":
		return ": "
	}
	return " "
}

// Words is the agent's own description of a call in its input; empty if it has none.
func Words(input map[string]any) string {
	text, _ := input[words].(string)
	return text
}

// Line is a call in one line of visible text: what it does, or the tool's name where
// nothing says that, and the agent's words.
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

// squeeze makes text visible on one line, without the room that could push a part of it
// out of sight.
func squeeze(text string) string {
	return strings.Join(strings.FieldsFunc(visible.Line(strings.TrimSpace(text)), func(r rune) bool { return r == ' ' }), " ")
}

// Cut shortens text to so many bytes. Both ends are kept: what follows a long beginning
// may be what matters.
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
