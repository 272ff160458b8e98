package trust

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// helpers are settings that name a command which the agent runs for itself.
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
	var file struct {
		Servers json.RawMessage `json:"mcpServers"`
	}
	if json.Unmarshal(content, &file) != nil {
		in.find(Finding{Broken, path, "is not JSON"})
		return
	}
	in.find(serverFindings(path, file.Servers)...)
}

func hookFindings(path string, raw json.RawMessage) []Finding {
	var events map[string][]struct {
		Matcher string            `json:"matcher"`
		Hooks   []json.RawMessage `json:"hooks"`
	}
	if json.Unmarshal(raw, &events) != nil {
		return []Finding{{Hook, path, compact(raw)}}
	}
	var found []Finding
	for _, event := range slices.Sorted(maps.Keys(events)) {
		for _, group := range events[event] {
			when := event
			if group.Matcher != "" {
				when += " (" + group.Matcher + ")"
			}
			for _, h := range group.Hooks {
				found = append(found, Finding{Hook, path, when + ": " + hookText(h)})
			}
		}
	}
	return found
}

// hookText is the command of a hook, or the whole of another kind of hook.
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
		var s struct {
			Command string   `json:"command"`
			Args    []string `json:"args"`
		}
		text := compact(servers[name])
		if json.Unmarshal(servers[name], &s) == nil && s.Command != "" {
			text = strings.Join(append([]string{s.Command}, s.Args...), " ")
		}
		found = append(found, Finding{Server, path, name + ": " + text})
		var env struct {
			Env json.RawMessage `json:"env"`
		}
		if json.Unmarshal(servers[name], &env) == nil && len(env.Env) > 0 {
			found = append(found, members(Env, path, name+": ", env.Env)...)
		}
	}
	return found
}

// members is one finding for each member of an object of strings.
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
