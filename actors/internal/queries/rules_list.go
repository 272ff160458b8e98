package queries

import (
	"slices"

	"betcode/actors/internal/rules"
	"betcode/messages"
)

// bySession is the source of rules that a session's client has set.
const bySession = "session"

// listRules lists the rules in effect, in the order in which they are applied.
func (q *Queries) listRules(m messages.ListRules) (messages.Reply, error) {
	now := q.deps.Rules()
	list, directory := now.List, m.Directory
	var record messages.SessionRecord
	if m.Session != "" {
		loaded, err := q.load("list rules", m.Session)
		if err != nil {
			return nil, err
		}
		record, directory = loaded.Record, loaded.Record.WorkingDirectory
	}
	if directory != "" {
		list = append(slices.Clone(list), q.deps.Directories.RuleList(directory)...)
	}
	list = append(slices.Clone(list), ofSession(record)...)
	_, problems := rules.New(list...)
	var out messages.RuleList
	for _, effect := range []rules.Effect{rules.Deny, rules.Ask, rules.Allow} {
		for _, r := range list {
			if r.Effect == effect {
				out.Rules = append(out.Rules, ruleEntry(r, problems))
			}
		}
	}
	return out, nil
}

// ofSession returns the decisions of a session's clients, as rules.
func ofSession(r messages.SessionRecord) []rules.Rule {
	var list []rules.Rule
	add := func(effect rules.Effect, texts ...string) {
		for _, text := range texts {
			list = append(list, rules.Rule{Effect: effect, Text: text, Source: bySession})
		}
	}
	add(rules.Deny, r.DeniedTools...)
	add(rules.Allow, r.AllowedTools...)
	tools := make([]string, 0, len(r.Grants))
	for tool := range r.Grants {
		tools = append(tools, tool)
	}
	slices.Sort(tools)
	for _, tool := range tools {
		if r.Grants[tool] {
			add(rules.Allow, tool)
		} else {
			add(rules.Deny, tool)
		}
	}
	return list
}

func ruleEntry(r rules.Rule, problems []rules.RuleError) messages.RuleEntry {
	e := messages.RuleEntry{Effect: r.Effect.String(), Text: r.Text, Tool: r.Text, Source: r.Source, Line: r.Line}
	if tool, argument, err := r.Split(); err == nil {
		e.Tool, e.Argument = tool, argument
	}
	for _, p := range problems {
		if p.Rule == r {
			e.Problem = p.Err.Error()
		}
	}
	return e
}
