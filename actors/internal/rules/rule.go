package rules

import (
	"errors"
	"fmt"
	"strings"
)

// Effect is the effect of a rule on a call.
type Effect uint8

// The effects, in the order in which their lists are checked. None is the effect of
// no rule.
const (
	None Effect = iota
	Deny
	Ask
	Allow
)

var effectNames = [...]string{"none", "deny", "ask", "allow"}

// String returns the name of the list in settings.json.
func (e Effect) String() string {
	if int(e) < len(effectNames) {
		return effectNames[e]
	}
	return fmt.Sprintf("effect %d", uint8(e))
}

// Rule is one rule as it was written.
type Rule struct {
	Effect Effect
	Text   string
	Source string // for people: its file
	Line   int    // in the file; 0 = not known
}

// Split splits the rule into the tool and the argument that a call must match, empty
// for every call.
func (r Rule) Split() (tool, argument string, err error) { return split(strings.TrimSpace(r.Text)) }

// String describes the rule in one line.
func (r Rule) String() string {
	if r.Source == "" {
		return r.Effect.String() + " " + r.Text
	}
	return fmt.Sprintf("%s %s (%s)", r.Effect, r.Text, r.Source)
}

// compiled is a rule that can be compared with a call.
type compiled struct {
	Rule
	tool     namePattern
	near     nearName // other spellings of the tool, for rules that forbid
	argument matcher  // nil: every call of the tool
	unknown  bool     // only the agent understands the argument
	commands bool     // it is about files, and also forbids shell commands that use them
}

// matcher is the argument of a rule.
type matcher interface {
	// any reports whether some part of the call matches, in any reading of it.
	any(*call) bool
	// may reports whether the call may match, if that is uncertain.
	may(*call) bool
	// covers reports whether part n of the call matches, in the strictest reading.
	covers(c *call, n int) bool
}

// compile parses a rule: a tool, perhaps with an argument in parentheses.
func compile(r Rule) (*compiled, error) {
	tool, argument, err := split(strings.TrimSpace(r.Text))
	if err != nil {
		return nil, err
	}
	c := &compiled{Rule: r, tool: newNamePattern(tool), near: newNearName(tool)}
	if r.Effect == Allow && !c.tool.named() {
		return nil, fmt.Errorf("%q would allow tools that the rule does not name: write the server out, as in mcp__server__*", tool)
	}
	if argument == "" || argument == "*" {
		if subagents[tool] {
			c.tool = familyOf(tool)
		}
		return c, nil
	}
	if c.tool.wild {
		return nil, errors.New("a rule with an argument must name one tool")
	}
	c.argument, c.unknown = argumentOf(tool, argument)
	c.tool = familyOf(tool)
	_, c.commands = c.argument.(pathPattern)
	return c, nil
}

// split splits "Tool(argument)". The argument of a bare tool is empty.
func split(text string) (tool, argument string, err error) {
	tool, rest, found := strings.Cut(text, "(")
	switch {
	case tool == "" || strings.ContainsAny(tool, " \t\n)") && !strings.HasPrefix(tool, mcpPrefix):
		return "", "", fmt.Errorf("%q does not begin with the name of a tool", text)
	case !found:
		return tool, "", nil
	case !strings.HasSuffix(rest, ")"):
		return "", "", fmt.Errorf("%q has no closing parenthesis at its end", text)
	}
	argument = strings.TrimSpace(strings.TrimSuffix(rest, ")"))
	if argument == "" {
		return "", "", fmt.Errorf("%q has nothing in its parentheses; leave them out to mean every call", text)
	}
	return tool, argument, nil
}

// argumentOf parses the argument of a rule for a tool.
func argumentOf(tool, argument string) (m matcher, unknown bool) {
	switch tool {
	case "Bash":
		return newCommandPattern(argument), false
	case "WebFetch":
		if host, ok := strings.CutPrefix(argument, "domain:"); ok {
			return newDomainPattern(host), false
		}
	case "Agent", "Task", "Skill":
		return exactly(argument), false
	}
	if readers[tool] || writers[tool] {
		if p, ok := newPathPattern(argument); ok {
			p.edits = writers[tool]
			return p, false
		}
	}
	return nil, true
}

// The tools whose calls name a file. A rule with a path for Read concerns all tools that
// read, one for Edit all that write; the agent does the same.
var (
	readers = map[string]bool{"Read": true, "Grep": true, "Glob": true, "LS": true, "NotebookRead": true}
	writers = map[string]bool{"Edit": true, "Write": true, "MultiEdit": true, "NotebookEdit": true}
)

// subagents are the two names of one tool, which the agent has renamed.
var subagents = map[string]bool{"Agent": true, "Task": true}

// Reads reports whether a tool only reads files.
func Reads(tool string) bool { return readers[tool] }

// Writes reports whether a tool writes files and does nothing else.
func Writes(tool string) bool { return writers[tool] }

// familyOf returns the tools that a rule with an argument is for.
func familyOf(tool string) namePattern {
	switch tool {
	case "Read":
		return namePattern{family: readers}
	case "Edit":
		return namePattern{family: writers}
	case "Agent", "Task":
		return namePattern{family: subagents}
	}
	return newNamePattern(tool)
}
