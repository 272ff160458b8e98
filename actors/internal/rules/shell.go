package rules

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxCommand bounds the text that is parsed, in bytes, and maxNested the depth to which commands
// in the text of other commands are searched.
const (
	maxCommand  = 64 << 10
	maxNested   = 4
	maxWrapped  = 64      // words behind sudo and the like
	maxReadings = 1 << 20 // bytes of all readings together: a command that exceeds it is asked about
)

// part is one simple command of a shell command.
type part struct {
	strict string   // its words, quoted where necessary; an allow rule must match it
	opaque string   // why an allow rule cannot match, empty if it can
	names  string   // why it may run a program that no rule for its own name covers, empty if it does not
	seen   []string // every reading of it that a deny rule is compared with, with holes
	vague  []string // the members of seen that have holes, and seen with the program in lower case
}

// shellOf parses the commands of the agent's Bash tool, for rules that forbid.
type shellOf struct {
	parts  []part
	unread string // why there may be commands that were not seen
	runs   string // why commands may run that are not written in it
	depth  int
	left   *int // of maxReadings
	uses   *uses
}

// parse parses a command, for rules that allow and for rules that forbid. It adds the
// files that the command names to u, unless that is nil.
func (c *call) parse(command string, u *uses) {
	left := maxReadings
	s := &shellOf{left: &left, uses: u}
	file := s.add(command)
	c.parts, c.unread, c.runs = s.parts, s.unread, s.runs
	switch {
	case left <= 0:
		c.unread = tooLong
	case file != nil && len(file.Stmts) == 0:
		c.unread = first(s.unread, "it has no command")
	}
	if c.broken = file == nil; c.broken {
		c.opaque = c.unread
		return
	}
	c.plain, c.opaque = plainParts(command, file)
}

const tooLong = "it is too long to be looked at"

// add parses the text of a shell command, and returns nil if that fails.
func (s *shellOf) add(command string) *syntax.File {
	if len(command) > maxCommand {
		s.unread = tooLong
		return nil
	}
	if s.unread = first(s.unread, misread(command)); strings.Contains(command, hole) {
		return nil // shells disagree about its meaning
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil {
		s.unread = first(s.unread, "it cannot be parsed")
		return nil
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			s.simple(n)
		case *syntax.Stmt:
			s.fed(n)
		case *syntax.Redirect:
			if s.uses != nil {
				s.uses.redirect(n)
			}
		}
		if n != nil {
			s.unread = first(s.unread, hazard(n))
		}
		return true
	})
	return file
}

// redirected returns why a redirection makes allow rules inapplicable to a command.
func redirected(r *syntax.Redirect) string {
	switch r.Op {
	case syntax.DplOut, syntax.DplIn:
		if fd, ok := static(r.Word); ok && strings.Trim(fd, "0123456789") == "" {
			return ""
		}
	default:
		if file, ok := static(r.Word); ok && file == "/dev/null" {
			return ""
		}
	}
	return "it redirects to or from a file"
}

// simple handles one simple command: its words, and every command that may be behind
// them.
func (s *shellOf) simple(c *syntax.CallExpr) {
	for _, a := range c.Assigns {
		if steers(a.Name.Value) {
			s.runs = first(s.runs, "it sets "+a.Name.Value)
		}
	}
	if len(c.Args) == 0 {
		if len(c.Assigns) > 0 {
			s.parts = append(s.parts, part{})
		}
		return
	}
	words := looseWords(c.Args)
	if len(words) == 0 {
		return
	}
	p := part{seen: s.readings(words)}
	for _, reading := range p.seen {
		if folded := foldFirst(reading); folded != reading || open(reading) {
			p.vague = append(p.vague, folded)
		}
	}
	p.vague = append(p.vague, s.mayRun(words)...)
	s.parts = append(s.parts, p)
	if s.uses != nil {
		s.uses.command(words)
	}
	if hasBraces(c.Args[0]) {
		s.runs = first(s.runs, "its command is known only when it runs")
	}
	s.runs = first(s.runs, runsOther(words))
	if isWrap(base(words[0])) {
		for n := 1; n < len(words) && s.runs == ""; n++ {
			if words[n] == "." && !builtinWraps[base(words[n-1])] {
				continue // a directory
			}
			if s.runs = runsOther(words[n:]); n == maxWrapped {
				s.runs = tooLong
			}
		}
	}
	s.nested(words)
}

// nested parses the text of commands that run their arguments.
func (s *shellOf) nested(words []string) {
	if s.depth >= maxNested || *s.left <= 0 {
		return
	}
	s.depth++
	defer func() { s.depth-- }()
	for n, w := range words {
		if interprets[base(w)] {
			for _, text := range append(words[n+1:len(words):len(words)], strings.Join(words[n+1:], " ")) {
				if text != "" && !strings.HasPrefix(text, "-") {
					inner := &shellOf{depth: s.depth, left: s.left, uses: s.uses}
					inner.add(strings.NewReplacer(hole, "$_", names, "*").Replace(text))
					s.parts = append(s.parts, inner.parts...)
				}
			}
			return
		}
	}
}

// readings returns the readings of a simple command, for rules that forbid: as it
// is written, without the path of its program, and each command that may
// be among the arguments of another.
func (s *shellOf) readings(words []string) []string {
	var all []string
	add := func(words []string) {
		all = append(all, strings.Join(words, " "))
		*s.left -= 2 * len(all[len(all)-1])
		if quoted := quoteAll(words); quoted != all[len(all)-1] {
			all = append(all, quoted)
		}
		if name := base(words[0]); name != words[0] {
			all = append(all, strings.Join(append([]string{name}, words[1:]...), " "))
		}
		if strings.HasPrefix(words[0], "=") { // zsh looks the rest up
			all = append(all, strings.Join(words, " ")[1:])
		}
	}
	if len(words) == 0 {
		return nil
	}
	add(words)
	if isWrap(base(words[0])) || interprets[base(words[0])] || open(words[0]) {
		for n := 1; n < len(words) && *s.left > 0; n++ {
			add(words[n:])
		}
	}
	return all
}

// base returns the name of a program without its path.
func base(word string) string { return word[strings.LastIndexByte(word, '/')+1:] }

// first returns the first text that is not empty.
func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}
