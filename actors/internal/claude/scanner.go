package claude

import "bytes"

// scanner parses an unambiguous subset of JSON: any decoder accepts its input and decodes
// it alike. Its methods return false for any other input, after which the scanner is
// unusable.
type scanner struct {
	text []byte
	at   int // start of the rest
}

// members parses an object. read gets each name and parses the value; it returns the
// member's bit, and false to give up. No bit may come twice. members returns the bits
// of the members that came.
func (s *scanner) members(read func(name []byte) (bit int, ok bool)) (has int, ok bool) {
	if !s.skip('{') {
		return 0, false
	}
	for {
		name, ok := s.plain()
		if !ok || !s.skip(':') {
			return 0, false
		}
		bit, ok := read(name)
		if !ok || has&bit != 0 {
			return 0, false
		}
		has |= bit
		if s.skip('}') {
			return has, true
		}
		if !s.skip(',') {
			return 0, false
		}
	}
}

// skip skips c and the blanks before it, if it comes next.
func (s *scanner) skip(c byte) bool {
	s.blanks()
	if s.at == len(s.text) || s.text[s.at] != c {
		return false
	}
	s.at++
	return true
}

func (s *scanner) blanks() {
	for s.at < len(s.text) && s.text[s.at] == ' ' {
		s.at++
	}
}

// plain parses a string without escapes, which shares the memory of the input.
func (s *scanner) plain() ([]byte, bool) {
	value, escaped, ok := s.quoted()
	return value, ok && !escaped
}

// plainOrNull parses such a string, or null, which yields none.
func (s *scanner) plainOrNull() ([]byte, bool) {
	s.blanks()
	if bytes.HasPrefix(s.text[s.at:], []byte("null")) {
		s.at += len("null")
		return nil, true
	}
	return s.plain()
}

// is parses a string and reports whether it equals wanted.
func (s *scanner) is(wanted string) bool {
	value, ok := s.plain()
	return ok && string(value) == wanted
}

// copied parses a string into a copy. It decodes escapes of one letter.
func (s *scanner) copied() (string, bool) {
	value, escaped, ok := s.quoted()
	if !ok || !escaped {
		return string(value), ok
	}
	text := make([]byte, 0, len(value))
	for i := 0; i < len(value); i++ {
		c := value[i]
		if c == '\\' {
			i++ // quoted has checked that there is one more
			if c = unescaped[value[i]]; c == 0 {
				return "", false
			}
		}
		text = append(text, c)
	}
	return string(text), true
}

// unescaped maps the letter behind a backslash to its character, 0 for other
// escapes.
var unescaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// quoted parses a string without decoding it.
func (s *scanner) quoted() (value []byte, escaped, ok bool) {
	if !s.skip('"') {
		return nil, false, false
	}
	from := s.at
	for i := from; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '"':
			s.at = i + 1
			return s.text[from:i], escaped, true
		case c == '\\':
			escaped = true
			i++
		case c < ' ':
			return nil, false, false
		}
	}
	return nil, false, false
}

// number parses a natural number of few digits.
func (s *scanner) number() (int, bool) {
	s.blanks()
	n, from := 0, s.at
	for s.at < len(s.text) && s.text[s.at] >= '0' && s.text[s.at] <= '9' {
		n = 10*n + int(s.text[s.at]-'0')
		if s.at++; s.at-from > 6 {
			return 0, false
		}
	}
	if s.at == from || s.at-from > 1 && s.text[from] == '0' {
		return 0, false
	}
	return n, true // for "1.5" and "1e3" the next token fails
}
