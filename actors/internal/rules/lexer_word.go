package rules

import "strings"

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
