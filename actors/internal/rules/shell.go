package rules

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxCommand bounds what is parsed, in bytes, and maxNested how deep commands in
// the text of other commands are looked for.
const (
	maxCommand  = 64 << 10
	maxNested   = 4
	maxReadings = 1 << 20 // bytes of all readings together: who hides a command behind more is asked about
)

// part is one simple command of a shell command.
type part struct {
	strict string   // its words, quoted where need be; what an allow rule must match
	opaque string   // why an allow rule cannot match, empty if it can
	seen   []string // every reading of it that a deny rule is held against
}

// shellOf parses what the agent's Bash tool runs. Where Bash and a rule's author
// could disagree about a construct, it is opaque.
type shellOf struct {
	parts []part
	depth int
	left  *int // of maxReadings
}

// parse takes a command apart. opaque says why it cannot be told what it does,
// beyond its parts; unread that there may be parts which were not seen.
func parse(command string) (parts []part, opaque string, unread bool) {
	left := maxReadings
	s := &shellOf{left: &left}
	opaque = s.add(command)
	switch {
	case left <= 0:
		return s.parts, "it is too long to be looked at", true
	case len(s.parts) == 0:
		return nil, first(opaque, "it has no command"), true
	}
	return s.parts, opaque, false
}

func (s *shellOf) add(command string) (opaque string) {
	if len(command) > maxCommand {
		return "it is too long to be looked at"
	}
	if strings.ContainsRune(command, 0) { // shells disagree about what becomes of it
		return "it has a character that no command has"
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil {
		return "it cannot be parsed"
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			s.simple(n)
		case *syntax.Redirect:
			opaque = first(opaque, redirected(n))
		case *syntax.DeclClause, *syntax.LetClause, *syntax.ArithmCmd, *syntax.FuncDecl, *syntax.CoprocClause, *syntax.TestDecl:
			opaque = first(opaque, "it changes what later commands mean")
		case *syntax.ForClause, *syntax.CaseClause:
			opaque = first(opaque, "it depends on variables")
		}
		return true
	})
	return opaque
}

// redirected says why a redirection takes a command out of reach of allow rules.
func redirected(r *syntax.Redirect) string {
	switch r.Op {
	case syntax.DplOut, syntax.DplIn:
		if fd, ok := static(r.Word); ok && strings.Trim(fd, "0123456789") == "" {
			return ""
		}
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		body := r.Word
		if r.Hdoc != nil {
			body = r.Hdoc
		}
		if _, ok := static(body); ok {
			return ""
		}
	default:
		if file, ok := static(r.Word); ok && file == "/dev/null" {
			return ""
		}
	}
	return "it redirects to or from a file"
}

// simple takes one simple command: its words, and everything that may stand
// behind them.
func (s *shellOf) simple(c *syntax.CallExpr) {
	if len(c.Args) == 0 {
		if len(c.Assigns) > 0 {
			s.parts = append(s.parts, part{opaque: "it sets variables"})
		}
		return
	}
	p := part{}
	if len(c.Assigns) > 0 {
		p.opaque = "it sets variables for a command"
	}
	words := make([]string, 0, len(c.Args))
	for n, w := range c.Args {
		value, ok := static(w)
		if !ok || hasBraces(w) || (n == 0 && hasGlob(w)) {
			p.opaque = first(p.opaque, "it is known only when it runs")
		}
		words = append(words, value)
	}
	if p.opaque == "" && interprets[base(words[0])] {
		p.opaque = "it runs what is in its arguments"
	}
	p.strict = quoteAll(words)
	loose := looseWords(c.Args)
	p.seen = s.readings(loose)
	s.parts = append(s.parts, p)
	s.nested(loose)
}

// nested looks into the text of commands that run their arguments.
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
					inner := &shellOf{depth: s.depth, left: s.left}
					inner.add(text)
					for _, p := range inner.parts {
						p.opaque = first(p.opaque, "it is the argument of another command")
						s.parts = append(s.parts, p)
					}
				}
			}
			return
		}
	}
}

// interprets are the commands that run the text they are given.
var interprets = set("eval", "bash", "sh", "zsh", "dash", "ksh", "ash", "busybox", "source", ".", "trap", "su", "script", "ssh", "parallel", "watch")

// wraps are the commands that run another one, which is among their arguments.
var wraps = set("sudo", "doas", "env", "command", "builtin", "exec", "nohup", "nice", "ionice", "timeout", "time", "stdbuf", "setsid",
	"xargs", "find", "chroot", "unshare", "nsenter", "flock", "strace", "ltrace", "taskset", "chrt", "runuser", "systemd-run",
	"unbuffer", "faketime", "proot", "fakeroot", "catchsegv", "parallel", "watch", "busybox")

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}

// readings are the ways to read a simple command, for rules that forbid: as it
// is written, with the path of its program left out, and each command that may
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
	}
	if len(words) == 0 {
		return nil
	}
	add(words)
	if wraps[base(words[0])] || interprets[base(words[0])] {
		for n := 1; n < len(words) && *s.left > 0; n++ {
			add(words[n:])
		}
	}
	return all
}

// base returns the name of a program without its path.
func base(word string) string { return word[strings.LastIndexByte(word, '/')+1:] }

// first returns the first text that says something.
func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
