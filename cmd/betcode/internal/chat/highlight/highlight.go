package highlight

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is the kind of a token.
type Kind uint8

// Kinds.
const (
	Plain Kind = iota
	Keyword
	Text // a string or a character
	Number
	Comment
	Name // of a tag, a key or a variable
	Added
	Removed
	Section
)

// Token is a piece of source code.
type Token struct {
	Text string
	Kind Kind
}

// Tokens divides code. The texts of the tokens join to code. A language that is not known gives one plain token.
func Tokens(language, code string) []Token {
	if strings.EqualFold(language, "diff") || strings.EqualFold(language, "patch") {
		return diff(code)
	}
	l := find(language)
	if l == nil {
		return []Token{{code, Plain}}
	}
	s := scanner{language: l, rest: code, start: true}
	for s.rest != "" {
		s.next()
	}
	return s.tokens
}

// scanner divides code from the front.
type scanner struct {
	language *language
	rest     string
	start    bool // nothing but blanks stands before rest on its line
	tokens   []Token
}

// take adds a token of the first n bytes. It joins neighbours of one kind.
func (s *scanner) take(n int, k Kind) {
	text := s.rest[:n]
	s.rest = s.rest[n:]
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		s.start = strings.TrimLeft(text[i:], " \t\n") == ""
	} else {
		s.start = s.start && strings.TrimLeft(text, " \t") == ""
	}
	if last := len(s.tokens) - 1; last >= 0 && s.tokens[last].Kind == k {
		s.tokens[last].Text += text
		return
	}
	s.tokens = append(s.tokens, Token{text, k})
}

// next takes one token.
func (s *scanner) next() {
	l := s.language
	for _, mark := range l.comments {
		if strings.HasPrefix(s.rest, mark) && (mark != "#" || !l.wordComments || s.afterBlank()) {
			s.take(lineEnd(s.rest), Comment)
			return
		}
	}
	for _, b := range l.blocks {
		if strings.HasPrefix(s.rest, b.open) {
			s.take(b.length(s.rest), b.kind)
			return
		}
	}
	r, size := utf8.DecodeRuneInString(s.rest)
	switch {
	case strings.ContainsRune(l.quotes, r):
		s.quoted(size, byte(r))
	case unicode.IsDigit(r):
		s.take(length(s.rest, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '.' }), Number)
	case r == '$' && l.variables:
		s.take(size+length(s.rest[size:], wordRune), Name)
	case wordRune(r):
		s.word()
	default:
		s.take(size, Plain)
	}
}

// afterBlank reports whether a blank or nothing stands before rest.
func (s *scanner) afterBlank() bool {
	if len(s.tokens) == 0 || s.start {
		return true
	}
	text := s.tokens[len(s.tokens)-1].Text
	return strings.ContainsRune(" \t\n;", rune(text[len(text)-1]))
}

// quoted takes a text between quotes; it ends at the end of the line at the latest.
func (s *scanner) quoted(size int, quote byte) {
	i := size
	for i < len(s.rest) && s.rest[i] != '\n' {
		switch {
		case s.rest[i] == '\\' && i+1 < len(s.rest) && s.rest[i+1] != '\n':
			i++
		case s.rest[i] == quote:
			s.take(i+1, s.kindOf(i+1, Text))
			return
		}
		i++
	}
	if quote == '\'' { // an apostrophe, or a lifetime
		s.take(size, Plain)
		return
	}
	s.take(i, Text)
}

// word takes a word.
func (s *scanner) word() {
	n := length(s.rest, func(r rune) bool { return wordRune(r) || s.language.dashes && r == '-' })
	word := s.rest[:n]
	if s.language.fold {
		word = strings.ToLower(word)
	}
	kind := Plain
	if s.language.keywords[word] {
		kind = Keyword
	}
	s.take(n, s.kindOf(n, kind))
}

// kindOf returns Name for a word or a text that is a key, which a colon or an equals sign follows.
func (s *scanner) kindOf(n int, otherwise Kind) Kind {
	if s.language.keys == "" {
		return otherwise
	}
	rest := strings.TrimLeft(s.rest[n:], " \t")
	if rest != "" && strings.IndexByte(s.language.keys, rest[0]) >= 0 {
		return Name
	}
	return otherwise
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

// length returns how many bytes at the front are of runes that belong.
func length(text string, belongs func(rune) bool) int {
	if i := strings.IndexFunc(text, func(r rune) bool { return !belongs(r) }); i >= 0 {
		return i
	}
	return len(text)
}

func lineEnd(text string) int {
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return i
	}
	return len(text)
}

// diff divides a difference by lines.
func diff(code string) (tokens []Token) {
	for line := range strings.SplitAfterSeq(code, "\n") {
		kind := Plain
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "index "):
			kind = Comment
		case strings.HasPrefix(line, "+"):
			kind = Added
		case strings.HasPrefix(line, "-"):
			kind = Removed
		case strings.HasPrefix(line, "@@"):
			kind = Section
		}
		tokens = append(tokens, Token{line, kind})
	}
	return tokens
}
