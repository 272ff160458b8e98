package claude

import "bytes"

// scanner reads a subset of JSON that has only one meaning: what it accepts, any
// decoder accepts and understands alike. Its methods report false for everything
// else, after which it is of no use.
type scanner struct{ rest []byte }

// members reads an object. read is given each name and reads the value; it
// returns the member's bit, and false to give up. No bit may come twice. members
// returns those that came.
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
	if len(s.rest) == 0 || s.rest[0] != c {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

func (s *scanner) blanks() {
	for len(s.rest) > 0 && s.rest[0] == ' ' {
		s.rest = s.rest[1:]
	}
}

// plain reads a string without escapes, shared with what is read.
func (s *scanner) plain() ([]byte, bool) {
	value, escaped, ok := s.quoted()
	return value, ok && !escaped
}

// plainOrNull reads such a string, or null, which is none.
func (s *scanner) plainOrNull() ([]byte, bool) {
	s.blanks()
	if rest, null := bytes.CutPrefix(s.rest, []byte("null")); null {
		s.rest = rest
		return nil, true
	}
	return s.plain()
}

// is reads a string and reports whether it is the one that is wanted.
func (s *scanner) is(wanted string) bool {
	value, ok := s.plain()
	return ok && string(value) == wanted
}

// text reads a string, a copy. Escapes of one letter are understood.
func (s *scanner) text() (string, bool) {
	value, escaped, ok := s.quoted()
	if !ok || !escaped {
		return string(value), ok
	}
	text := make([]byte, 0, len(value))
	for i := 0; i < len(value); i++ {
		c := value[i]
		if c == '\\' {
			i++ // quoted has seen to it that there is one more
			if c = unescaped[value[i]]; c == 0 {
				return "", false
			}
		}
		text = append(text, c)
	}
	return string(text), true
}

// unescaped is what a letter behind a backslash stands for, 0 if that is not so
// plain.
var unescaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// quoted reads a string as it stands there.
func (s *scanner) quoted() (value []byte, escaped, ok bool) {
	if !s.skip('"') {
		return nil, false, false
	}
	for i := 0; i < len(s.rest); i++ {
		switch c := s.rest[i]; {
		case c == '"':
			value, s.rest = s.rest[:i], s.rest[i+1:]
			return value, escaped, true
		case c == '\\':
			escaped = true
			i++
		case c < ' ':
			return nil, false, false
		}
	}
	return nil, false, false
}

// number reads a natural number of few digits.
func (s *scanner) number() (int, bool) {
	s.blanks()
	n, digits := 0, 0
	for digits < len(s.rest) && s.rest[digits] >= '0' && s.rest[digits] <= '9' {
		n = 10*n + int(s.rest[digits]-'0')
		if digits++; digits > 6 {
			return 0, false
		}
	}
	if digits == 0 || digits > 1 && s.rest[0] == '0' {
		return 0, false
	}
	s.rest = s.rest[digits:]
	return n, true // "1.5" and "1e3" are left to fail at what follows
}
