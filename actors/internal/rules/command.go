package rules

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// commandPattern matches simple commands: "git status", "git *", "npm run test:*".
// A star stands for anything, including spaces; one at the end, behind a space or a colon,
// for nothing as well: "git *" is also "git".
type commandPattern struct {
	text string // words joined by single spaces
	tail bool   // "text", or anything that begins with it and a space
	more string // with tail: the latter as a pattern

	names bool // its own words have the program run another one
}

func newCommandPattern(argument string) commandPattern {
	var p commandPattern
	text := strings.TrimSpace(argument)
	for _, end := range []string{":*", " *"} {
		if head, ok := strings.CutSuffix(text, end); ok {
			text, p.tail = strings.TrimSpace(head), true
			break
		}
	}
	p.text = canonical(text)
	p.more = p.text + " *"
	if words := strings.Fields(p.text); len(words) > 0 {
		p.names = beyond(words) != ""
	}
	return p
}

// match compares the pattern with one reading of a command.
func (p commandPattern) match(command string) bool {
	if !p.tail {
		return wildcard(p.text, command)
	}
	return wildcard(p.text, command) || wildcard(p.more, command)
}

// any reports whether some command in the call, in some reading, matches.
func (p commandPattern) any(c *call) bool {
	for _, part := range c.parts {
		for _, reading := range part.seen {
			if p.match(reading) {
				return true
			}
		}
	}
	return false
}

// may reports whether some command in the call may match, depending on facts that are known
// only at run time. File systems that ignore case run RM as rm.
func (p commandPattern) may(c *call) bool {
	for _, part := range c.parts {
		for _, reading := range part.vague {
			if mayMatch(p.text, reading) || p.tail && mayMatch(p.more, reading) {
				return true
			}
		}
	}
	return false
}

// foldFirst lowers the case of the first word.
func foldFirst(reading string) string {
	first, _, _ := strings.Cut(reading, " ")
	return strings.ToLower(first) + reading[len(first):]
}

// covers reports whether command n is one that the rule means, without anything else.
func (p commandPattern) covers(c *call, n int) bool {
	part := c.plain[n]
	return part.opaque == "" && (part.names == "" || p.names) && p.match(part.strict)
}

// canonical converts the words of a rule into the form in which commands are compared.
func canonical(text string) string {
	if !strings.ContainsAny(text, `'"\`) {
		return strings.Join(strings.Fields(text), " ")
	}
	var words []string
	for w, err := range syntax.NewParser(syntax.Variant(syntax.LangBash)).WordsSeq(strings.NewReader(text)) {
		if err != nil {
			return text
		}
		value, _ := static(w)
		words = append(words, value)
	}
	return quoteAll(words)
}
