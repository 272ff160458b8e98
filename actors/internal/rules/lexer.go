package rules

import "strings"

// word is one word of a plain command, without its quotes.
type word struct {
	value  string
	quoted bool // a part of it was quoted or escaped
}

// lexer reads plain shell commands byte by byte, independently of the parser. It
// knows words, quotes and a few operators, and gives up at any other byte:
// whatever it accepts means the same in bash, dash, zsh and mksh.
type lexer struct {
	text string
	at   int

	commands [][]word
	current  []word
	joined   bool // the last token was an operator that needs another command
	closed   bool // the command may have no more words
	why      string
}

// lex splits a command into plain simple commands joined by && || ; | and
// newlines. why is the reason why it is not plain, empty if it is.
func lex(command string) (commands [][]word, why string) {
	l := lexer{text: command}
	for l.why == "" && l.at < len(l.text) {
		l.next()
	}
	switch {
	case l.why != "":
		return nil, l.why
	case l.joined && len(l.current) == 0:
		return nil, "it ends in an operator"
	}
	l.flush()
	if len(l.commands) == 0 {
		return nil, "it has no command"
	}
	return l.commands, ""
}

// fail records why the command is not plain.
func (l *lexer) fail(why string) {
	if l.why == "" {
		l.why = why
	}
}

// peek returns the byte n places ahead, 0 behind the end.
func (l *lexer) peek(n int) byte {
	if l.at+n < len(l.text) {
		return l.text[l.at+n]
	}
	return 0
}

// next reads a word, an operator, a redirection or a blank.
func (l *lexer) next() {
	switch c := l.text[l.at]; c {
	case ' ', '\t':
		l.at++
	case '\n':
		l.at++
		if len(l.current) > 0 {
			l.end(false)
		}
	case ';':
		l.at++
		l.end(false)
	case '|':
		l.at++
		switch l.peek(0) {
		case '|':
			l.at++
		case '&':
			l.fail("|& is not plain")
		}
		l.end(true)
	case '&':
		switch l.peek(1) {
		case '&':
			l.at += 2
			l.end(true)
		case '>': // dash reads a background job and a redirection
			if l.at++; l.peek(1) == '&' {
				l.fail("the redirection &>& is not plain")
			}
			l.redirect()
			l.closed = true
		default:
			l.fail("a background job is not plain")
		}
	case '<', '>':
		l.redirect()
	case '(', ')':
		l.fail("parentheses are not plain")
	case '#':
		l.fail("a comment is not plain")
	default:
		if digit(c) && (l.peek(1) == '<' || l.peek(1) == '>') {
			l.at++
			l.redirect()
			return
		}
		l.word()
	}
}

// end ends a simple command at an operator.
func (l *lexer) end(joins bool) {
	if len(l.current) == 0 {
		l.fail("an operator stands where a command is expected")
	}
	l.flush()
	l.joined = joins
}

func (l *lexer) flush() {
	if len(l.current) > 0 {
		l.commands = append(l.commands, l.current)
		l.current, l.joined, l.closed = nil, false, false
	}
}

// redirect accepts redirections that neither read nor write a file: to and from /dev/null,
// and from one descriptor to another.
func (l *lexer) redirect() {
	if len(l.current) == 0 {
		l.fail("a redirection stands before its command")
		return
	}
	rest := l.text[l.at:]
	for _, op := range []string{"<<", "<>", "<(", ">(", ">|"} {
		if strings.HasPrefix(rest, op) {
			l.fail(map[string]string{"<<": "a here-document is not plain"}[op])
			l.fail("the redirection " + op + " is not plain")
			return
		}
	}
	if (strings.HasPrefix(rest, ">&") || strings.HasPrefix(rest, "<&")) && len(rest) > 2 && digit(rest[2]) {
		l.at += 3
	} else {
		rest = strings.TrimPrefix(rest[1:], ">")
		file := strings.TrimLeft(rest, " \t")
		if !strings.HasPrefix(file, "/dev/null") {
			l.fail("it redirects to or from a file")
			return
		}
		l.at = len(l.text) - len(file) + len("/dev/null")
	}
	if !strings.ContainsRune(" \t\n;|&<>\x00", rune(l.peek(0))) {
		l.fail("it redirects to or from a file")
	}
}

func letter(c byte) bool  { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func digit(c byte) bool   { return c >= '0' && c <= '9' }
func control(c byte) bool { return c < ' ' && c != '\n' && c != '\t' || c == 0x7f }

// separates reports whether a byte ends a word; 0 is the end of the command.
func separates(c byte) bool { return c == 0 || strings.IndexByte(" \t\n;|&<>", c) >= 0 }
