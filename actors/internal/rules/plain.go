package rules

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// An allow rule with an argument may match only a command that two readers, the
// lexer of this package and the parser, read as the same plain simple commands.
// Where shells and the parser disagree, one of the two gives up.

// plainParts returns the simple commands of a plain command, each with the reason
// why no allow rule may match it, if there is one. why is the reason for the whole command.
func plainParts(command string, file *syntax.File) (parts []part, why string) {
	commands, why := lex(command)
	if why != "" {
		return nil, why
	}
	if parsed, ok := flat(file); !ok || !slices.EqualFunc(commands, parsed, sameWords) {
		return nil, "it can be read in two ways"
	}
	for _, words := range commands {
		values := make([]string, len(words))
		for n, w := range words {
			values[n] = w.value
		}
		parts = append(parts, part{strict: quoteAll(values), opaque: runsText(values), names: beyond(values)})
	}
	return parts, ""
}

func sameWords(a []word, b []string) bool {
	return slices.EqualFunc(a, b, func(a word, b string) bool { return a.value == b })
}

// flat returns the words of the simple commands that the parser has found, not ok
// if it has found anything else.
func flat(file *syntax.File) (commands [][]string, ok bool) {
	if file == nil || len(file.Last) > 0 {
		return nil, false
	}
	for _, s := range file.Stmts {
		if commands, ok = flatten(commands, s); !ok {
			return nil, false
		}
	}
	return commands, true
}

func flatten(commands [][]string, s *syntax.Stmt) ([][]string, bool) {
	if len(s.Comments) > 0 || s.Negated || s.Background || s.Coprocess || s.Disown {
		return nil, false
	}
	for _, r := range s.Redirs {
		if r.Hdoc != nil || redirected(r) != "" {
			return nil, false
		}
	}
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		if c.Op != syntax.AndStmt && c.Op != syntax.OrStmt && c.Op != syntax.Pipe {
			return nil, false
		}
		commands, ok := flatten(commands, c.X)
		if !ok {
			return nil, false
		}
		return flatten(commands, c.Y)
	case *syntax.CallExpr:
		if len(c.Assigns) > 0 {
			return nil, false
		}
		words := make([]string, len(c.Args))
		for n, w := range c.Args {
			value, ok := static(w)
			if !ok || hasBraces(w) {
				return nil, false
			}
			words[n] = value
		}
		return append(commands, words), true
	}
	return nil, false
}
