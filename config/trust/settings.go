package trust

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// exact is an object whose members are looked up case-sensitively. A struct would also accept
// "Command", which the agent does not read.
type exact map[string]json.RawMessage

// text returns a member that is text, otherwise "".
func (e exact) text(name string) string {
	var text string
	if json.Unmarshal(e[name], &text) != nil {
		return ""
	}
	return text
}

// helpers lists settings with a command that the agent runs for itself.
var helpers = []string{
	"apiKeyHelper", "awsAuthRefresh", "awsCredentialExport", "gcpAuthRefresh", "otelHeadersHelper", "proxyAuthHelper",
	"statusLine", "subagentStatusLine", "fileSuggestion",
}

func (in *inspector) settings(path string) {
	content, ok := in.read(path)
	if !ok {
		return
	}
	var all map[string]json.RawMessage
	if json.Unmarshal(content, &all) != nil {
		in.find(Finding{Broken, path, "is not JSON"})
		return
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		value := all[name]
		switch {
		case name == "$schema":
		case name == "hooks":
			in.find(hookFindings(path, value)...)
		case name == "permissions":
			in.find(permissionFindings(path, value)...)
		case name == "mcpServers":
			in.find(serverFindings(path, value)...)
		case name == "env":
			in.find(members(Env, path, "", value)...)
		case slices.Contains(helpers, name):
			in.find(Finding{Helper, path, name + ": " + compact(value)})
		default:
			in.find(Finding{Setting, path, name + ": " + compact(value)})
		}
	}
}

func (in *inspector) servers(path string) {
	content, ok := in.read(path)
	if !ok {
		return
	}
	var file exact
	if json.Unmarshal(content, &file) != nil {
		in.find(Finding{Broken, path, "is not JSON"})
		return
	}
	in.find(serverFindings(path, file["mcpServers"])...)
}

func hookFindings(path string, raw json.RawMessage) []Finding {
	var events map[string][]exact
	if json.Unmarshal(raw, &events) != nil {
		return []Finding{{Hook, path, compact(raw)}}
	}
	var found []Finding
	for _, event := range slices.Sorted(maps.Keys(events)) {
		for _, group := range events[event] {
			when := event
			if matcher := group.text("matcher"); matcher != "" {
				when += " (" + matcher + ")"
			}
			var hooks []json.RawMessage
			if json.Unmarshal(group["hooks"], &hooks) != nil {
				hooks = []json.RawMessage{group["hooks"]}
			}
			for _, h := range hooks {
				found = append(found, Finding{Hook, path, when + ": " + hookText(h)})
			}
		}
	}
	return found
}

// hookText returns the command of a hook, or the whole text of another kind of hook.
func hookText(raw json.RawMessage) string {
	var h map[string]json.RawMessage
	var command string
	if json.Unmarshal(raw, &h) == nil && json.Unmarshal(h["command"], &command) == nil {
		return command
	}
	return compact(raw)
}

func permissionFindings(path string, raw json.RawMessage) []Finding {
	var p map[string]json.RawMessage
	if json.Unmarshal(raw, &p) != nil {
		return []Finding{{Allow, path, compact(raw)}}
	}
	var found []Finding
	for _, name := range slices.Sorted(maps.Keys(p)) {
		switch name {
		case "deny", "ask": // more restrictive; the daemon obeys them without trust
			continue
		case "allow":
			var rules []string
			if json.Unmarshal(p[name], &rules) == nil {
				for _, rule := range rules {
					found = append(found, Finding{Allow, path, rule})
				}
				continue
			}
		}
		found = append(found, Finding{Allow, path, name + ": " + compact(p[name])})
	}
	return found
}

func serverFindings(path string, raw json.RawMessage) []Finding {
	var servers map[string]json.RawMessage
	if len(raw) == 0 {
		return nil
	}
	if json.Unmarshal(raw, &servers) != nil {
		return []Finding{{Server, path, compact(raw)}}
	}
	var found []Finding
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		var server exact
		var args []string
		text := compact(servers[name])
		known := json.Unmarshal(servers[name], &server) == nil
		command := server.text("command")
		if known && command != "" && (server["args"] == nil || json.Unmarshal(server["args"], &args) == nil) {
			text = strings.Join(append([]string{command}, args...), " ")
		}
		found = append(found, Finding{Server, path, name + ": " + text})
		if len(server["env"]) > 0 {
			found = append(found, members(Env, path, name+": ", server["env"])...)
		}
	}
	return found
}

// members returns one finding for each member of an object of strings.
func members(kind Kind, path, prefix string, raw json.RawMessage) []Finding {
	var all map[string]json.RawMessage
	if json.Unmarshal(raw, &all) != nil {
		return []Finding{{kind, path, prefix + compact(raw)}}
	}
	var found []Finding
	for _, name := range slices.Sorted(maps.Keys(all)) {
		var text string
		if json.Unmarshal(all[name], &text) != nil {
			text = compact(all[name])
		}
		found = append(found, Finding{kind, path, prefix + name + "=" + text})
	}
	return found
}

func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}
