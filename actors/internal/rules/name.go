package rules

import (
	"net/url"
	"strings"
)

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

func (e exactly) any(c *call) bool           { return c.kind == string(e) }
func (e exactly) covers(c *call, _ int) bool { return c.kind == string(e) }

// domainPattern matches the host of an address: "example.com", or "*.example.com"
// for everything below it.
type domainPattern struct {
	host  string
	below bool
}

func newDomainPattern(host string) domainPattern {
	host, below := strings.CutPrefix(strings.ToLower(strings.TrimSpace(host)), "*.")
	return domainPattern{strings.TrimSuffix(host, "."), below}
}

// any matches the hosts below a domain as well: who denies a domain means them.
func (d domainPattern) any(c *call) bool {
	return c.host != "" && (c.host == d.host && !d.below || strings.HasSuffix(c.host, "."+d.host))
}

func (d domainPattern) covers(c *call, _ int) bool {
	if d.below {
		return strings.HasSuffix(c.host, "."+d.host)
	}
	return c.host != "" && c.host == d.host
}

// hostOf returns the host of an address in lower case, empty if it has none.
func hostOf(address string) string {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") {
		return ""
	}
	return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
}
