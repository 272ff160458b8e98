package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// pick finds the rule for a request and counts its use. The caller holds mu.
func (s *Server) pick(r Request) Rule {
	if rule, ok := ownPurpose(r.Conversation); ok {
		return rule
	}
	for i, rule := range s.script.Rules {
		key := fmt.Sprintf("%s %d", r.Session, i)
		if !rule.When.matches(r) || rule.Times > 0 && s.used[key] >= rule.Times {
			continue
		}
		s.used[key]++
		return rule
	}
	text := fmt.Sprintf("The script has no answer to %.200q after %d replies.", r.Conversation.Prompt(), r.Conversation.Replies)
	return Rule{Reply: []Step{{Text: &text}}}
}

// ownPurpose answers what Claude Code asks for itself.
func ownPurpose(c Conversation) (Rule, bool) {
	text := ""
	switch {
	case c.Summary:
		text = "<analysis>\nNothing to analyse.\n</analysis>\n\n<summary>\n1. Primary Request and Intent: a scripted conversation.\n</summary>"
	case c.Auxiliary:
		text = `{"title":"A scripted conversation","isNewTopic":false}`
	default:
		return Rule{}, false
	}
	return Rule{Name: "own purpose", Reply: []Step{{Text: &text}}}, true
}

// matches reports whether a condition holds for a request.
func (w When) matches(r Request) bool {
	c := r.Conversation
	return w.Prompt.Matches(c.Prompt()) &&
		(w.After < 0 || w.After == c.Replies) &&
		(w.Tool == "" || w.Tool == c.Tool) &&
		w.Result.Matches(c.Result) &&
		(w.Subagent == nil || *w.Subagent == c.Subagent) &&
		w.Model.Matches(r.Model)
}

// variable is ${name} in a reply. A $ without braces is only a $.
var variable = regexp.MustCompile(`\$\{(\w+)\}`)

// expand fills in the variables of a rule's reply.
func (r Rule) expand(c Conversation) ([]Step, error) {
	values := map[string]string{"prompt": c.Prompt(), "result": c.Result, "cwd": c.Cwd, "plan_file": c.PlanFile}
	if r.When.Prompt.Regexp != nil {
		for i, group := range r.When.Prompt.FindStringSubmatch(c.Prompt()) {
			values[fmt.Sprint(i)] = group
		}
	}
	var missing error
	fill := func(text string, quote bool) string {
		return variable.ReplaceAllStringFunc(text, func(m string) string {
			value, ok := values[m[2:len(m)-1]]
			if !ok || value == "" && m == "${plan_file}" {
				missing = fmt.Errorf("rule %s: nothing known for %s", r.Name, m)
			}
			if quote {
				return quoted(value)
			}
			return value
		})
	}
	steps := make([]Step, len(r.Reply))
	for i, s := range r.Reply {
		if s.Text != nil {
			text := strings.Repeat(fill(*s.Text, false), max(1, s.Repeat))
			s.Text = &text
		}
		s.Input = json.RawMessage(fill(string(s.Input), true))
		s.Message = fill(s.Message, false)
		steps[i] = s
	}
	return steps, missing
}

// quoted is a value as it stands inside a JSON string.
func quoted(value string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(value) // a string always can be
	return strings.TrimSuffix(strings.TrimSuffix(b.String(), "\n"), `"`)[1:]
}
