package inbox

import (
	"encoding/json"
	"slices"
	"strings"

	"betcode/cmd/betcode/internal/console"
)

// suggestion is a permission that the agent suggests in addition to a call, in the agent's JSON.
type suggestion struct {
	Type  string `json:"type"`
	Rules []struct {
		Tool    string `json:"toolName"`
		Content string `json:"ruleContent"`
	} `json:"rules"`
	Behavior    string   `json:"behavior"`
	Mode        string   `json:"mode"`
	Directories []string `json:"directories"`
	Destination string   `json:"destination"`
}

// Rules is the rules that an answer would write for later calls.
type Rules struct {
	Indices []uint32 // of the suggestions
	Words   string   // the rules, and where they are written
}

// ReadAlways returns the allow rules and directories among an agent's suggestions. Changes of the permission mode are left out,
// because they would allow more than the shown rules.
func ReadAlways(raw []byte) (a Rules) {
	var all []suggestion
	if len(raw) == 0 || json.Unmarshal(raw, &all) != nil {
		return a
	}
	var words []string
	for i, s := range all {
		var what []string
		switch {
		case s.Type == "addRules" && s.Behavior == "allow":
			for _, r := range s.Rules {
				rule := r.Tool
				if r.Content != "" {
					rule += "(" + r.Content + ")"
				}
				what = append(what, rule)
			}
		case s.Type == "addDirectories":
			for _, d := range s.Directories {
				what = append(what, "directory "+d)
			}
		}
		if len(what) == 0 {
			continue
		}
		a.Indices = append(a.Indices, uint32(i))
		line := strings.Join(what, ", ") + " " + place(s.Destination)
		if !slices.Contains(words, line) {
			words = append(words, line)
		}
	}
	a.Words = console.Line(strings.Join(words, "; "))
	return a
}

// place describes where the agent stores a rule.
func place(destination string) string {
	switch destination {
	case "userSettings":
		return "in ~/.claude/settings.json"
	case "projectSettings":
		return "in .claude/settings.json"
	case "localSettings":
		return "in .claude/settings.local.json"
	case "session":
		return "until the agent ends"
	}
	return "in " + destination
}

// suggestedMode returns the number of a suggestion to enter a permission mode.
func suggestedMode(raw []byte, mode string) (index uint32, suggested bool) {
	var all []suggestion
	if len(raw) == 0 || json.Unmarshal(raw, &all) != nil {
		return 0, false
	}
	i := slices.IndexFunc(all, func(s suggestion) bool { return s.Type == "setMode" && s.Mode == mode })
	return uint32(max(i, 0)), i >= 0
}
