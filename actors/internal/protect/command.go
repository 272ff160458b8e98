package protect

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// call adds the files that a simple command writes.
func (s *shell) call(c *syntax.CallExpr) {
	for _, a := range c.Assigns {
		s.assigned(a)
	}
	var words []string
	unread := map[int]bool{}
	for _, w := range c.Args {
		for value, ok := range s.words(w) {
			if !ok || value == "{}" { // of find and xargs
				unread[len(words)] = true
			}
			words = append(words, value)
		}
	}
	for len(words) > 0 && s.spend(1) {
		name := program(words[0])
		if unread[0] {
			name = "" // an unknown program
		}
		rest := len(words)
		switch kind := kindOf(name); {
		case kind == moves:
			s.move(words, unread)
		case kind == wraps || name == "find" && writesAnyway(name, words):
			s.generic(words)
			rest = wrapped(words)
		case kind == reads && !writesAnyway(name, words):
		case kind == git:
			s.git(words, unread)
		default:
			s.generic(words)
			s.especially(kind, name, words, unread)
		}
		words, unread = words[min(rest, len(words)):], shifted(unread, rest)
	}
}

// wrapped returns where the command begins that a wrapping command runs.
func wrapped(words []string) int {
	for n := 1; n < len(words); n++ {
		if words[n] != "." && kindOf(program(words[n])) != other {
			return n
		}
	}
	return len(words)
}

func shifted(unread map[int]bool, by int) map[int]bool {
	next := map[int]bool{}
	for n := range unread {
		next[n-by] = true
	}
	return next
}

// generic adds every word that may name a file.
func (s *shell) generic(words []string) {
	for _, w := range words[1:] {
		if !s.spend(16 + len(w)) {
			return
		}
		for _, candidate := range candidates(w) {
			s.add(candidate)
		}
	}
}

// especially handles known programs.
func (s *shell) especially(kind kind, name string, words []string, unread map[int]bool) {
	switch kind {
	case writes:
		for n := 1; n < len(words); n++ {
			if unread[n] {
				s.ask("what " + name + " writes to is known only when it runs")
			} else if s.lost && !path.IsAbs(words[n]) && !strings.HasPrefix(words[n], "-") {
				s.ask("the directory that " + name + " writes in is known only when it runs")
			}
		}
		if len(words) == 1 {
			s.ask("what " + name + " writes to is not in sight") // behind xargs
		}
		s.whole(words)
	case interprets:
		s.interpret(name, words, unread)
	case other, wraps, moves, git:
	case reads: // sed, whose script names files
		s.mentions(strings.Join(words, " "))
		s.sed(words)
	}
}

// sed adds the files that the commands w and W of a script may name. Usually nothing separates
// the command from the name, so each such letter may be one.
func (s *shell) sed(words []string) {
	if program(words[0]) != "sed" {
		return
	}
	for _, w := range words[1:] {
		for n := range len(w) {
			if w[n] != 'w' && w[n] != 'W' {
				continue
			}
			name, _, _ := strings.Cut(w[n+1:], "\n")
			if name = strings.TrimLeft(name, " \t"); !s.spend(16 + len(name)) {
				return
			}
			s.add(name)
		}
	}
}

// whole asks about commands that replace, remove or fill a directory that contains listed ones.
func (s *shell) whole(words []string) {
	for _, w := range words[1:] {
		for _, dir := range s.dirs {
			if strings.HasPrefix(w, "-") {
				continue
			}
			if reason := s.list.Above(absolute(strings.TrimSuffix(w, "*"), dir, s.home)); reason != "" && program(words[0]) != "mkdir" && program(words[0]) != "touch" {
				s.ask(reason)
			}
		}
	}
}

// interpret parses the text of a program in its arguments.
func (s *shell) interpret(name string, words []string, unread map[int]bool) {
	shellLike := shells[name]
	for n := 1; n < len(words); n++ {
		if unread[n] && shellLike {
			s.ask("the command that " + name + " runs is known only when it runs")
		}
		if strings.ContainsAny(words[n], " \t\n;&|<>()'\"") {
			s.mentions(words[n])
			if shellLike {
				s.read(words[n])
			}
		}
	}
	if name == "eval" {
		s.read(strings.Join(words[1:], " "))
	}
}

// mentions asks about text that contains a listed name, for whatever purpose.
func (s *shell) mentions(text string) {
	if !s.spend(len(text)) {
		return
	}
	folded := foldPath(text)
	if name := mentioned().FindString(folded); name != "" {
		s.ask("the text that it runs names " + strings.Trim(name, "/'\"` "))
		return
	}
	for _, r := range s.list.roots {
		if strings.Contains(folded, r.folded) {
			s.ask("the text that it runs names " + r.path + ", which " + r.reason)
			return
		}
	}
}

// mentioned is compiled on first use, because most commands do not need it.
var mentioned = sync.OnceValue(func() *regexp.Regexp {
	var names []string
	for _, list := range []map[string]string{directories, files} {
		for _, name := range sorted(list) {
			names = append(names, regexp.QuoteMeta(name))
		}
	}
	return regexp.MustCompile(`(^|[^a-z0-9])(` + strings.Join(names, "|") + `)($|[^a-z0-9._-])`)
})

// move follows a change of the working directory.
func (s *shell) move(words []string, unread map[int]bool) {
	to := ""
	for n := 1; n < len(words); n++ {
		switch {
		case unread[n] || words[n] == "-" || strings.HasPrefix(words[n], "+"):
			s.lost = true
			return
		case strings.HasPrefix(words[n], "-"):
		default:
			to = words[n]
		}
	}
	if to == "" {
		to = s.home
		if program(words[0]) != "cd" { // pushd, popd
			s.lost = true
			return
		}
	}
	for _, dir := range slices.Clone(s.dirs) {
		if next := absolute(to, dir, s.home); !slices.Contains(s.dirs, next) {
			s.dirs = append(s.dirs, next)
		}
	}
	if len(s.dirs) > 32 {
		s.dirs, s.lost = s.dirs[:32], true
	}
}
