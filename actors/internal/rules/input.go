package rules

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// input is a tool's input, with its keys as they are spelled: encoding/json would
// take "Command" for "command" and the last of two equal keys.
type input struct {
	members map[string]json.RawMessage
	why     string // why the tool does not take it, empty if it does
}

// members are the members of each tool's input. A tool that is not listed is not checked:
// no rule with an argument can be understood for it.
var members = map[string]map[string]bool{
	"Bash":         set("command", "timeout", "description", "run_in_background", "dangerouslyDisableSandbox"),
	"Read":         set("file_path", "offset", "limit", "pages", "allow_large"),
	"Edit":         set("file_path", "old_string", "new_string", "replace_all"),
	"Write":        set("file_path", "content"),
	"MultiEdit":    set("file_path", "edits"),
	"NotebookEdit": set("notebook_path", "cell_id", "new_source", "cell_type", "edit_mode"),
	"NotebookRead": set("notebook_path", "cell_id"),
	"Glob":         set("pattern", "path"),
	"Grep": set("pattern", "path", "glob", "output_mode", "-B", "-A", "-C", "context", "-n", "-i", "-o", "type", "head_limit", "offset",
		"multiline"),
	"LS":       set("path", "ignore"),
	"WebFetch": set("url", "prompt", "offset"),
	"Agent": set("description", "prompt", "subagent_type", "model", "effort", "run_in_background", "name", "team_name", "mode", "isolation",
		"resume", "max_turns"),
	"Skill": set("skill", "args"),
}

// deciding is the member that the rules for a tool are compared with.
var deciding = map[string]string{
	"Bash": "command", "Read": "file_path", "Edit": "file_path", "Write": "file_path", "MultiEdit": "file_path", "NotebookEdit": "notebook_path",
	"NotebookRead": "notebook_path", "Glob": "path", "Grep": "path", "LS": "path", "WebFetch": "url", "Agent": "subagent_type", "Task": "subagent_type",
	"Skill": "skill",
}

// optional are the tools that may be called without their deciding member.
var optional = set("Glob", "Grep", "LS", "Agent", "Task")

// readInput parses the input of a tool. It does not fail: why has the problem.
func readInput(tool string, raw []byte) input {
	in := input{members: map[string]json.RawMessage{}}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if begin, err := dec.Token(); err != nil || begin != json.Delim('{') {
		in.why = "its input is not an object"
		return in
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			in.why = "its input is not JSON"
			return in
		}
		var value json.RawMessage
		name, _ := key.(string)
		if err := dec.Decode(&value); err != nil {
			in.why = "its input is not JSON"
			return in
		}
		if _, twice := in.members[name]; twice {
			in.why = first(in.why, "its input has a member twice")
		}
		in.members[name] = value
	}
	if _, err := dec.Token(); err != nil {
		in.why = "its input is not JSON"
		return in
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		in.why = "its input is more than one object"
	}
	in.check(tool)
	return in
}

// check compares the members with those of the tool.
func (in *input) check(tool string) {
	if tool == "Task" {
		tool = "Agent"
	}
	known := members[tool]
	if known == nil {
		return
	}
	for name := range in.members {
		if !known[name] {
			in.why = first(in.why, "its input has a member that "+tool+" does not have")
		}
	}
	if _, ok := in.text(deciding[tool]); !ok && (!optional[tool] || in.members[deciding[tool]] != nil) {
		in.why = first(in.why, "its input has no "+deciding[tool])
	}
}

// text returns a member that is text.
func (in *input) text(name string) (string, bool) {
	raw, ok := in.members[name]
	if !ok || len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	var text string
	err := json.Unmarshal(raw, &text)
	return text, err == nil
}

// steps returns why a call is beyond a rule with an argument, empty if it is not: it sets a
// member that changes more than the argument shows.
func (in *input) steps(tool string) string {
	for _, m := range outside[tool] {
		if raw, ok := in.members[m]; ok && string(raw) != "false" {
			return "it sets " + m
		}
	}
	return ""
}

var outside = map[string][]string{"Bash": {"dangerouslyDisableSandbox"}, "Agent": {"mode", "isolation"}, "Task": {"mode", "isolation"}}

// InputOf makes the input of a tool call from the one argument that rules are compared with:
// the command of Bash, the path of a tool for files, the address of WebFetch.
func InputOf(tool, argument string) []byte {
	member := first(deciding[tool], "argument")
	raw, err := json.Marshal(map[string]string{member: argument})
	if err != nil {
		panic("encode text: " + err.Error())
	}
	return raw
}
