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

// word reads one word.
func (l *lexer) word() {
	var b strings.Builder
	begin, quoted := l.at, false
	first := len(l.current) == 0
	if l.closed {
		l.fail("a word behind the redirection &> is not plain")
	}
	for l.why == "" && l.at < len(l.text) {
		c := l.text[l.at]
		if c == ' ' || c == '\t' || c == '\n' || strings.IndexByte(";|&<>", c) >= 0 {
			break
		}
		switch {
		case c == '\'':
			quoted = true
			l.single(&b)
			continue
		case c == '"':
			quoted = true
			l.double(&b)
			continue
		case c == '\\':
			quoted = true
			l.escaped(&b)
			continue
		case first:
			l.command(c, l.at == begin)
		default:
			l.argument(c, l.at == begin)
		}
		b.WriteByte(c)
		l.at++
	}
	if n := b.Len(); n > 0 && (l.peek(0) == '<' || l.peek(0) == '>') && !quoted && strings.Trim(b.String(), "0123456789") == "" {
		l.fail("a redirection of a high descriptor is not plain")
	}
	value := b.String()
	if first {
		if reserved[value] {
			l.fail(reservedReason(value))
		}
		if value == "" || strings.Contains(value, "=") {
			l.fail("a command word that is empty or has = in it is not plain")
		}
	}
	l.current = append(l.current, word{value, quoted})
}

// command checks an unquoted byte of a command word.
func (l *lexer) command(c byte, begins bool) {
	switch {
	case letter(c) || digit(c) || c == '_' || c == '.' || c == '/':
	case !begins && strings.IndexByte("-+:,@%", c) >= 0:
	case begins && (c == ':' || c == '[' && separates(l.peek(1))):
	case begins && c == '[' && l.peek(1) == '[':
		l.fail("a test clause is not plain")
	case c == '=':
		l.fail("it sets variables")
	default:
		l.unplain(c)
		l.fail("the command word is not plain")
	}
}

// argument checks an unquoted byte of an argument.
func (l *lexer) argument(c byte, begins bool) {
	var before byte
	if !begins {
		before = l.text[l.at-1]
	}
	switch {
	case letter(c) || digit(c) || strings.IndexByte("_./-+:,@%*?[]", c) >= 0:
	case c == '=' && !begins:
	case (c == '~' || c == '^') && !begins && before != '=' && before != ':':
	default:
		l.unplain(c)
	}
}

// unplain records why an unquoted byte is not plain.
func (l *lexer) unplain(c byte) {
	switch {
	case c == '$' || c == '`':
		l.fail("an expansion is not plain")
	case c == '(' || c == ')':
		l.fail("parentheses are not plain")
	case c == '{' || c == '}':
		l.fail("braces are not plain")
	case c == '#':
		l.fail("an unquoted # is not plain")
	case c < ' ' || c == 0x7f:
		l.fail(controlReason)
	case c >= 0x80:
		l.fail("an unquoted character beyond ASCII is not plain")
	default:
		l.fail("an unquoted " + string(rune(c)) + " is not plain")
	}
}

const controlReason = "a control character other than newline and tab is not plain"

// single reads '…'.
func (l *lexer) single(b *strings.Builder) {
	for l.at++; l.at < len(l.text); l.at++ {
		switch c := l.text[l.at]; {
		case c == '\'':
			l.at++
			return
		case control(c):
			l.fail(controlReason)
			return
		default:
			b.WriteByte(c)
		}
	}
	l.fail("a quote is not closed")
}

// double reads "…".
func (l *lexer) double(b *strings.Builder) {
	for l.at++; l.at < len(l.text); l.at++ {
		switch c := l.text[l.at]; {
		case c == '"':
			l.at++
			return
		case c == '$' || c == '`':
			l.fail("an expansion is not plain")
			return
		case control(c):
			l.fail(controlReason)
			return
		case c == '\\':
			switch l.peek(1) {
			case '\n':
				l.fail("a backslash before a newline is not plain")
				return
			case '$', '`', '"', '\\':
				l.at++
			}
			// In some encodings a character ends in the byte of a backslash.
			if l.at > 1 && l.text[l.at-1] >= 0x80 || l.at > 2 && l.text[l.at-1] == '\\' && l.text[l.at-2] >= 0x80 {
				l.fail("a backslash behind a character beyond ASCII is not plain")
				return
			}
			b.WriteByte(l.text[l.at])
		default:
			b.WriteByte(c)
		}
	}
	l.fail("a quote is not closed")
}

// escaped reads a backslash and the character it quotes.
func (l *lexer) escaped(b *strings.Builder) {
	c := l.peek(1)
	switch {
	case c == '\n':
		l.fail("a backslash before a newline is not plain")
	case l.at+1 == len(l.text):
		l.fail("it ends in a backslash")
	case control(c) || c == '\t' || c >= 0x80 || l.at > 0 && l.text[l.at-1] >= 0x80:
		l.fail("a backslash beside such a character is not plain")
	}
	b.WriteByte(c)
	l.at += 2
}

func letter(c byte) bool  { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func digit(c byte) bool   { return c >= '0' && c <= '9' }
func control(c byte) bool { return c < ' ' && c != '\n' && c != '\t' || c == 0x7f }

// separates reports whether a byte ends a word; 0 is the end of the command.
func separates(c byte) bool { return c == 0 || strings.IndexByte(" \t\n;|&<>", c) >= 0 }

// reserved are words that begin something else than a simple command, in at least one of
// the shells.
var reserved = set("if", "then", "else", "elif", "fi", "for", "foreach", "end", "while", "until", "do", "done", "case", "esac", "select",
	"function", "in", "time", "coproc", "repeat", "nocorrect", "noglob", "always", "declare", "typeset", "local", "export", "readonly",
	"let", "integer", "float", "nameref", "eval")

func reservedReason(word string) string {
	switch word {
	case "declare", "typeset", "local", "export", "readonly", "let", "integer", "float", "nameref":
		return "it changes what later commands mean"
	case "eval":
		return "it runs what is in its arguments"
	}
	return "`" + word + "` is not the name of a plain command"
}
