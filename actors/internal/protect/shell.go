package protect

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"betcode/actors/internal/rules"
)

const (
	maxCommand = 64 << 10 // bytes of a command that is looked at
	maxNested  = 4        // commands in the text of commands
	maxWork    = 1 << 20  // bytes that are looked at in all, text in text counted again
)

// shell reads one command.
type shell struct {
	list  *List
	home  string
	dirs  []string // where the command may be by now
	lost  bool     // or somewhere else
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

// spend counts what is looked at. It is not ok when that is more than enough.
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

// read adds what a piece of shell text writes.
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

// redirect adds the target of an output redirection, and looks into what a program is given to
// read.
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

// add notes a path that may be written.
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

// call adds what a simple command writes.
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
			name = "" // whatever it is
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

// wrapped returns where the command begins that another one runs.
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

// especially looks at what is known of some programs.
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

// sed adds the files that the commands w and W of a script may name. Nothing stands between
// the command and the name as a rule, so each such letter may be one.
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

// interpret looks into the text of a program that is among its arguments.
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

// mentions asks about text in which a listed name stands, whatever it is there for.
func (s *shell) mentions(text string) {
	if !s.spend(len(text)) {
		return
	}
	folded := foldPath(text)
	if name := mentioned.FindString(folded); name != "" {
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

var mentioned = func() *regexp.Regexp {
	var names []string
	for _, list := range []map[string]string{directories, files} {
		for _, name := range sorted(list) {
			names = append(names, regexp.QuoteMeta(name))
		}
	}
	return regexp.MustCompile(`(^|[^a-z0-9])(` + strings.Join(names, "|") + `)($|[^a-z0-9._-])`)
}()

// move follows the command to another directory.
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

// assigned looks at the value of a variable as at a word: it may be a target later.
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

// candidates are the paths that a word may name: itself, the value of an option, the
// parts of a list. The value of an option may stand behind several that are bundled, as in
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

// feeds reports whether something in a command may run what it reads.
func feeds(command string) bool {
	for word := range strings.FieldsFuncSeq(command, func(r rune) bool { return strings.ContainsRune(" \t\n;&|()<>'\"`", r) }) {
		if k := kindOf(program(word)); k == interprets || k == wraps {
			return true
		}
	}
	return false
}
