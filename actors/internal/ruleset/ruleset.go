package ruleset

import (
	"fmt"
	"sync/atomic"

	"betcode/actors/internal/rules"
	"betcode/actors/settings"
)

// Set has the parsed rules of settings files.
type Set struct {
	List     []rules.Rule // in the order of the files; within one deny, ask, allow
	Rules    *rules.Set
	Problems []rules.RuleError // rules of List that do not count in full
}

// Of returns the rules of a file: deny rules, then ask rules, then allow rules.
func Of(r settings.Rules) []rules.Rule {
	var all []rules.Rule
	for _, list := range []struct {
		effect rules.Effect
		texts  []string
	}{{rules.Deny, r.Deny}, {rules.Ask, r.Ask}, {rules.Allow, r.Allow}} {
		for _, text := range list.texts {
			all = append(all, rules.Rule{Effect: list.effect, Text: text, Source: r.Source, Line: r.Lines[list.effect.String()+" "+text]})
		}
	}
	return all
}

// Read parses the rules of files.
func Read(all ...settings.Rules) *Set {
	read := &Set{}
	for _, r := range all {
		read.List = append(read.List, Of(r)...)
	}
	read.Rules, read.Problems = rules.New(read.List...)
	return read
}

// Narrow returns an error for each rule that forbids a command without arguments while the same command with arguments is
// allowed, with the place of the rule and its likely meaning.
func Narrow(all ...settings.Rules) []error {
	var narrow []error
	for _, p := range Read(all...).Rules.Narrow() {
		if p.Rule.Source == "" {
			narrow = append(narrow, p)
			continue
		}
		narrow = append(narrow, fmt.Errorf("%s:%d: %w", p.Rule.Source, p.Rule.Line, p))
	}
	return narrow
}

// Live has the present rules, which may change while sessions live. The zero value has none. It is safe for
// concurrent use.
type Live struct{ now atomic.Pointer[Set] }

// Load returns the present rules. The result is not nil, and must not be changed.
func (l *Live) Load() *Set {
	if now := l.now.Load(); now != nil {
		return now
	}
	return &Set{}
}

// Store replaces the rules.
func (l *Live) Store(s *Set) { l.now.Store(s) }

// Rules returns the present rules for decisions, nil before the first Store.
func (l *Live) Rules() *rules.Set { return l.Load().Rules }
