package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// permissionResult is the host's response to can_use_tool.
type permissionResult struct {
	Behavior           string
	Message            *string
	Interrupt          bool
	UpdatedInput       json.RawMessage
	UpdatedPermissions []struct {
		Type, Behavior, Mode string
		Rules                []struct{ ToolName, RuleContent string }
	}
}

// required are the members without which a tool refuses its input.
var required = map[string]string{"Bash": "command", "AskUserQuestion": "questions", "Write": "file_path", "Read": "file_path"}

// judge understands an answer the way the real one does, oddities included.
func judge(c call, given answer) verdict {
	switch {
	case given.closed:
		return verdict{told: closedStream, meta: denied}
	case given.failed != "":
		return verdict{told: "Tool permission request failed: " + given.failed, meta: denied}
	}
	var r permissionResult
	if json.Unmarshal(given.response, &r) != nil {
		return verdict{told: invalidAnswer, meta: denied}
	}
	switch r.Behavior {
	case "allow":
		return allow(c, r)
	case "deny":
		if r.Interrupt {
			return verdict{interrupt: true}
		}
		if r.Message != nil {
			return verdict{told: *r.Message, meta: denied}
		}
	}
	return verdict{told: invalidAnswer, meta: denied}
}

// allow: no updatedInput and an empty one mean the original, null is an error,
// and anything else replaces the input if it is complete.
func allow(c call, r permissionResult) verdict {
	v := verdict{allowed: true, input: c.input, meta: accepted}
	if r.UpdatedInput != nil {
		var updated map[string]any
		if json.Unmarshal(r.UpdatedInput, &updated) != nil || updated == nil {
			return verdict{told: invalidAnswer, meta: denied}
		}
		if member := required[c.name]; len(updated) > 0 && member != "" && updated[member] == nil {
			return verdict{told: fmt.Sprintf("InputValidationError: permission handler updatedInput failed schema: %s is missing", member), meta: denied}
		}
		if len(updated) > 0 {
			v.input = updated
		}
	}
	for _, p := range r.UpdatedPermissions {
		switch p.Type {
		case "addRules":
			for _, rule := range p.Rules {
				if p.Behavior == "allow" && rule.RuleContent != "" {
					v.rules = append(v.rules, rule.ToolName+"("+rule.RuleContent+")")
				} else if p.Behavior == "allow" {
					v.rules = append(v.rules, rule.ToolName)
				}
			}
		case "setMode":
			v.mode = p.Mode
		}
	}
	if c.name == "ExitPlanMode" && v.mode == "" {
		v.mode = "default"
	}
	return v
}

// answersText is the tool result of an AskUserQuestion call.
func answersText(input map[string]any) string {
	if s, _ := input["response"].(string); s != "" {
		return "The user responded: " + s
	}
	answers, _ := input["answers"].(map[string]any)
	questions, _ := input["questions"].([]any)
	var told []string
	free := false
	for _, q := range questions {
		question, _ := q.(map[string]any)
		text, _ := question["question"].(string)
		given := answerText(answers[text])
		if given == "" {
			continue
		}
		told = append(told, fmt.Sprintf("%q=%q", text, given))
		free = free || !offered(question, given)
	}
	switch {
	case len(told) == 0:
		return "The user did not answer the questions."
	case free:
		return "The user answered: " + strings.Join(told, ", ") + ". Read the answers carefully — they may request" +
			" clarification, changes, or that you not proceed — and follow what they actually say."
	}
	return "Your questions have been answered: " + strings.Join(told, ", ") + ". You can now continue with these answers in mind."
}

// answerText is an answer as text; a list is joined by commas.
func answerText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var parts []string
		for _, p := range v {
			parts = append(parts, fmt.Sprint(p))
		}
		return strings.Join(parts, ",")
	}
	return ""
}

// offered reports whether an answer consists of labels of the question's options.
func offered(question map[string]any, given string) bool {
	labels := map[string]bool{}
	options, _ := question["options"].([]any)
	for _, o := range options {
		option, _ := o.(map[string]any)
		label, _ := option["label"].(string)
		labels[label] = true
	}
	if labels[given] {
		return true
	}
	for part := range strings.SplitSeq(given, ",") {
		if !labels[strings.TrimSpace(part)] {
			return false
		}
	}
	return true
}
