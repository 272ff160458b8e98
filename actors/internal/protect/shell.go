package protect

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"betcode/actors/internal/rules"
)

const (
	maxCommand = 64 << 10 // bytes of a command that are parsed
	maxNested  = 4        // commands in the text of commands
	maxWork    = 1 << 20  // bytes that are parsed in all, with text in text counted again
)

// shell parses one command.
type shell struct {
	list  *List
	home  string
	dirs  []string // possible working directories
	lost  bool     // there may be others
	paths map[string]bool
	gits  map[GitRun]bool
	why   string // the first reason to ask in any case
	depth int
	left  *int // of maxWork
}

func (l *List) readCommand(command string, place rules.Place) Writes {
	left := maxWork
	s := &shell{left: &left, list: l, home: place.Home, dirs: []string{path.Clean(place.Directory)}, paths: map[string]bool{}, gits: map[GitRun]bool{}}
	s.read(command)
	w := Writes{Why: s.why, session: path.Clean(place.Directory)}
	for run := range s.gits {
		w.Git = append(w.Git, run)
	}
	slices.SortFunc(w.Git, func(a, b GitRun) int { return strings.Compare(a.Directory, b.Directory) })
	for p := range s.paths {
		w.Paths = append(w.Paths, p)
	}
	slices.Sort(w.Paths)
	return w
}

// spend counts parsed bytes. It is not ok when they exceed maxWork.
func (s *shell) spend(bytes int) bool {
	if *s.left -= bytes; *s.left < 0 {
		s.ask("the command is too long to be looked at")
		return false
	}
	return true
}

func (s *shell) ask(why string) {
	if s.why == "" {
		s.why = why
	}
}

// read adds the writes of a piece of shell text.
func (s *shell) read(command string) {
	if !s.spend(16 + len(command)) {
		return
	}
	if s.depth >= maxNested || len(command) > maxCommand || strings.ContainsRune(command, 0) {
		s.ask("the command cannot be read in full")
		return
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil {
		s.ask("the command cannot be read")
		return
	}
	s.depth++
	defer func() { s.depth-- }()
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			s.call(n)
		case *syntax.DeclClause:
			for _, a := range n.Args {
				s.assigned(a)
			}
		case *syntax.Redirect:
			s.redirect(n, command)
		}
		return true
	})
}

// redirect adds the target of an output redirection, and parses the input that a program is
// given.
func (s *shell) redirect(r *syntax.Redirect, command string) {
	switch r.Op {
	case syntax.DplIn, syntax.RdrIn:
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		if feeds(command) {
			s.mentions(command)
		}
	case syntax.DplOut:
		if fd, ok := s.word(r.Word); ok && strings.Trim(fd, "0123456789-") == "" {
			return
		}
		fallthrough
	default:
		s.target(r.Word)
	}
}

// target adds a word that is certainly written to.
func (s *shell) target(w *syntax.Word) {
	value, ok := s.word(w)
	switch {
	case !ok:
		s.ask("what the command writes to is known only when it runs")
	case value == "/dev/null" || value == "/dev/stdout" || value == "/dev/stderr" || value == "/dev/tty":
	default:
		if s.lost && !path.IsAbs(value) {
			s.ask("the directory that the command writes in is known only when it runs")
		}
		s.add(value)
	}
}

// add records a path that may be written.
func (s *shell) add(value string) {
	if value == "" || len(value) > 4096 {
		return
	}
	if len(s.paths) >= maxPaths {
		s.ask("the command names more files than are looked at")
		return
	}
	for _, dir := range s.dirs {
		for _, p := range spellings(value, dir, s.home) {
			s.paths[p] = true
		}
	}
}

// assigned handles the value of a variable like a word, because it may be a target later.
func (s *shell) assigned(a *syntax.Assign) {
	if a == nil || a.Value == nil {
		return
	}
	if value, ok := s.word(a.Value); ok {
		if a.Name != nil && (a.Name.Value == "GIT_DIR" || a.Name.Value == "GIT_COMMON_DIR") {
			s.runsGit(value, false)
		}
		for _, candidate := range candidates(value) {
			if !strings.ContainsAny(candidate, " \t\n") {
				s.add(candidate)
			}
		}
	}
}

// candidates returns the paths that a word may name: itself, the value of an option, the
// parts of a list. The value of an option may follow several bundled options, as in
// "-rt.git": each tail of such a word may be one.
func candidates(word string) []string {
	all := []string{word}
	rest := word
	if strings.HasPrefix(word, "-") {
		all = nil
		for n := 2; n < len(word) && (isOption(word[n-1]) || n == 2 && word[1] != '-'); n++ {
			all = append(all, word[n:])
		}
	}
	if _, value, found := strings.Cut(rest, "="); found {
		rest = value
		all = append(all, value)
	}
	if strings.ContainsAny(rest, ":,") && !strings.Contains(rest, "://") {
		all = append(all, strings.FieldsFunc(rest, func(r rune) bool { return r == ':' || r == ',' })...)
	}
	return all
}

// isOption reports whether a byte may be an option in a bundle.
func isOption(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9'
}

// feeds reports whether a program in a command may run its input.
func feeds(command string) bool {
	for word := range strings.FieldsFuncSeq(command, func(r rune) bool { return strings.ContainsRune(" \t\n;&|()<>'\"`", r) }) {
		if k := kindOf(program(word)); k == interprets || k == wraps {
			return true
		}
	}
	return false
}
