package rules

import "strings"

// namePattern matches the names of tools.
type namePattern struct {
	text   string
	wild   bool
	family map[string]bool // instead of text
}

// newNamePattern reads the tool of a rule. "mcp__server" means all its tools.
func newNamePattern(tool string) namePattern {
	if rest, ok := strings.CutPrefix(tool, "mcp__"); ok && !strings.Contains(rest, "__") && !strings.Contains(rest, "*") {
		tool += "__*"
	}
	return namePattern{text: tool, wild: strings.Contains(tool, "*")}
}

// named reports whether the pattern names its tool, or at least whose tools it
// means.
func (p namePattern) named() bool {
	if !p.wild {
		return true
	}
	server, tool, ok := strings.Cut(strings.TrimPrefix(p.text, "mcp__"), "__")
	return ok && strings.HasPrefix(p.text, "mcp__") && server != "" && !strings.Contains(server, "*") && tool != ""
}

func (p namePattern) match(tool string) bool {
	switch {
	case p.family != nil:
		return p.family[tool]
	case p.wild:
		return wildcard(p.text, tool)
	}
	return p.text == tool
}

// wildcard reports whether a text is a pattern in which "*" stands for anything.
func wildcard(pattern, text string) bool {
	first, rest, wild := strings.Cut(pattern, "*")
	if !wild {
		return pattern == text
	}
	if !strings.HasPrefix(text, first) {
		return false
	}
	text = text[len(first):]
	for {
		part, after, more := strings.Cut(rest, "*")
		if !more {
			return strings.HasSuffix(text, part)
		}
		at := strings.Index(text, part)
		if at < 0 {
			return false
		}
		text, rest = text[at+len(part):], after
	}
}

// exactly matches the kind of a subagent, or the name of a skill.
type exactly string

func (e exactly) any(c *call) bool {
	return c.kind == string(e) || c.kind != "" && c.kind == e.family()
}

// family is the name in front of ":*" or " *", which stand for any arguments.
func (e exactly) family() string {
	return strings.TrimSuffix(strings.TrimSuffix(string(e), ":*"), " *")
}

// may is true of a call without a kind, which gets one from the agent, and of other
// spellings of the name: in another case, with a slash, with a plugin before it.
func (e exactly) may(c *call) bool {
	name := strings.TrimPrefix(strings.TrimSpace(c.kind), "/")
	bare := name[strings.LastIndexByte(name, ':')+1:]
	return c.kind == "" || strings.EqualFold(name, e.family()) || strings.EqualFold(bare, e.family())
}

func (e exactly) covers(c *call, _ int) bool { return c.kind == string(e) }
