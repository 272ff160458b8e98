package rules

import (
	"errors"
	"fmt"
	"slices"
)

// Set is a set of rules. The nil set has none.
type Set struct {
	lists [Allow + 1][]*compiled
	size  int
}

// RuleError reports a rule that cannot be used as it is.
type RuleError struct {
	Rule Rule
	Err  error
}

// Error implements error.
func (p RuleError) Error() string { return fmt.Sprintf("rule %q: %v", p.Rule.Text, p.Err) }

// Unwrap returns the problem.
func (p RuleError) Unwrap() error { return p.Err }

// errUnknownArgument reports rules that only the agent understands.
var errUnknownArgument = errors.New("its argument is understood by the agent only: " +
	"it allows nothing here, and where it denies or asks a person is asked about every call of the tool")

// New parses rules. It leaves out rules that cannot be parsed and returns them as
// problems, in their order. It also returns rules that only the agent understands, which
// count as far as they can.
func New(rules ...Rule) (*Set, []RuleError) {
	s := &Set{}
	var problems []RuleError
	for _, r := range rules {
		c, err := compile(r)
		if err != nil {
			problems = append(problems, RuleError{r, err})
			continue
		}
		if c.unknown {
			problems = append(problems, RuleError{r, errUnknownArgument})
		}
		s.lists[r.Effect] = append(s.lists[r.Effect], c)
		s.size++
	}
	return s, problems
}

// Len returns the number of rules.
func (s *Set) Len() int {
	if s == nil {
		return 0
	}
	return s.size
}

// Verdict is the decision of rules about a call.
type Verdict struct {
	Effect Effect // None: no rule decides
	Rules  []Rule // the deciding rules: one, or for Allow one for each part that needs another
	Why    string // for people, one line
}

// Decide compares a call with the rules. It never reads a disk.
func (s *Set) Decide(c Call) Verdict {
	if s.Len() == 0 {
		return Verdict{Why: "there are no rules"}
	}
	apart := takeApart(c, c.Tool == "Bash" && s.NeedsDisk(c.Tool))
	if r := s.concerned(Deny, apart, (*compiled).forbids); r != nil {
		return Verdict{Deny, []Rule{r.Rule}, "the rule forbids it"}
	}
	if r := s.concerned(Deny, apart, (*compiled).mayForbid); r != nil {
		return Verdict{Ask, []Rule{r.Rule}, r.doubt("a deny rule may match", apart)}
	}
	if r := s.concerned(Ask, apart, (*compiled).forbids); r != nil {
		return Verdict{Ask, []Rule{r.Rule}, "the rule wants a person to be asked"}
	}
	if r := s.concerned(Ask, apart, (*compiled).mayForbid); r != nil {
		return Verdict{Ask, []Rule{r.Rule}, r.doubt("an ask rule may match", apart)}
	}
	return s.allowed(apart)
}

// concerned returns the first rule of a list that applies.
func (s *Set) concerned(list Effect, c *call, applies func(*compiled, *call) bool) *compiled {
	for _, r := range s.lists[list] {
		if r.concerns(c.tool) && applies(r, c) {
			return r
		}
	}
	return nil
}

// concerns reports whether a rule that forbids is about a tool.
func (r *compiled) concerns(tool string) bool {
	return r.tool.match(tool) || r.commands && tool == "Bash" || r.near.match(tool)
}

// named reports whether a rule that forbids names the tool of a call, or files that it may use.
func (r *compiled) named(c *call) bool {
	return r.tool.match(c.tool) || r.commands && c.tool == "Bash"
}

// forbids reports whether a rule matches some part of a call of its tool.
func (r *compiled) forbids(c *call) bool {
	switch {
	case r.unknown || !r.named(c):
		return false
	case r.argument == nil:
		return true
	}
	return r.argument.any(c)
}

// mayForbid is forbids that also returns true in doubt.
func (r *compiled) mayForbid(c *call) bool {
	switch {
	case r.unknown || !r.named(c) || r.forbids(c) || r.argument.may(c):
		return true
	case r.commands && c.tool == "Bash":
		return c.broken || c.unread != "" && len(c.parts) == 0
	}
	return c.unread != "" || c.runs != ""
}

// doubt returns why a rule may match.
func (r *compiled) doubt(what string, c *call) string {
	switch {
	case !r.named(c):
		return what + "; it names a tool of nearly the same name"
	case r.unknown:
		return what + "; its argument is understood by the agent only"
	case c.tool != "Bash":
		return what + "; the call cannot be read exactly: " + first(c.unread, "it reaches further than its argument says")
	}
	return what + "; the command cannot be read exactly: " + first(first(c.unread, c.runs), "a part of it is known only when it runs")
}

// allowed searches allow rules for every part of a call.
func (s *Set) allowed(c *call) Verdict {
	var mine []*compiled
	for _, r := range s.lists[Allow] {
		switch {
		case r.unknown || !r.tool.covers(c.tool):
		case r.argument == nil:
			return Verdict{Allow, []Rule{r.Rule}, "the rule allows every call of the tool"}
		default:
			mine = append(mine, r)
		}
	}
	if len(mine) == 0 {
		return Verdict{Why: "no rule is about it"}
	}
	if c.opaque != "" {
		return Verdict{Why: "no rule with an argument allows it, since " + c.opaque}
	}
	var used []Rule
	for n := range c.units() {
		r := covering(mine, c, n)
		if r == nil {
			return Verdict{Why: uncovered(c, n)}
		}
		if len(used) == 0 || used[len(used)-1] != r.Rule {
			used = append(used, r.Rule)
		}
	}
	return Verdict{Allow, used, "rules allow every part of it"}
}

func covering(rules []*compiled, c *call, n int) *compiled {
	for _, r := range rules {
		if r.argument.covers(c, n) {
			return r
		}
	}
	return nil
}

// uncovered describes the part of a call that no rule allows.
func uncovered(c *call, n int) string {
	switch {
	case len(c.plain) == 0:
		return "no rule allows it"
	case c.plain[n].opaque != "":
		return fmt.Sprintf("no rule allows `%s`, since %s", c.plain[n].strict, c.plain[n].opaque)
	}
	if c.plain[n].names != "" {
		return fmt.Sprintf("no rule allows `%s`: %s, and the rule has to name it", c.plain[n].strict, c.plain[n].names)
	}
	return fmt.Sprintf("no rule allows `%s`", c.plain[n].strict)
}

// With returns a set with the rules of another one behind its own.
func (s *Set) With(other *Set) *Set {
	switch {
	case other.Len() == 0:
		return s
	case s.Len() == 0:
		return other
	}
	both := &Set{size: s.size + other.size}
	for n := range both.lists {
		both.lists[n] = slices.Concat(s.lists[n], other.lists[n])
	}
	return both
}

// NeedsDisk reports whether the decision about a call may depend on the targets of symbolic
// links ([Resolve]).
func (s *Set) NeedsDisk(tool string) bool {
	if s.Len() == 0 {
		return false
	}
	for _, list := range s.lists {
		for _, r := range list {
			if r.commands && (r.tool.match(tool) || tool == "Bash" && r.Effect != Allow) {
				return true
			}
		}
	}
	return false
}

// Texts returns the rules of one list as they were written.
func (s *Set) Texts(list Effect) []string {
	if s.Len() == 0 {
		return nil
	}
	var texts []string
	for _, r := range s.lists[list] {
		texts = append(texts, r.Text)
	}
	return texts
}
