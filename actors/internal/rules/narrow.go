package rules

import (
	"fmt"
	"strings"
)

// Narrow finds deny and ask rules that match one command without arguments, while
// the same command with arguments would be allowed: "deny Bash(git push --force)"
// beside "allow Bash(git *)" lets "git push --force origin" run. It compares the rules as
// they are written.
func (s *Set) Narrow() []RuleError {
	if s.Len() == 0 {
		return nil
	}
	var narrow []RuleError
	for _, list := range []Effect{Deny, Ask} {
		for _, r := range s.lists[list] {
			p, ok := r.argument.(commandPattern)
			if !ok || p.tail || strings.HasSuffix(p.text, "*") {
				continue
			}
			what := "only the bare command"
			if strings.Contains(p.text, "*") {
				what = "only commands that end there"
			}
			if longer := p.text + " argument"; s.matches(Allow, longer) && !s.matches(Deny, longer) && !s.matches(Ask, longer) {
				narrow = append(narrow, RuleError{r.Rule, fmt.Errorf("it matches %s; did you mean `%s *`?", what, p.text)})
			}
		}
	}
	return narrow
}

// matches reports whether a list has a rule for a plain command.
func (s *Set) matches(list Effect, command string) bool {
	for _, r := range s.lists[list] {
		if !r.tool.match("Bash") {
			continue
		}
		if p, ok := r.argument.(commandPattern); r.argument == nil && !r.unknown || ok && p.match(command) {
			return true
		}
	}
	return false
}
