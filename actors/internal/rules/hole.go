package rules

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A hole is the placeholder in a reading for text that is known only when the command runs,
// and names the placeholder for the files that a glob finds in one directory. No command
// that can be read contains these bytes.
const (
	hole  = "\x00"
	names = "\x01"
	holes = hole + names
)

// open reports whether a text has holes.
func open(text string) bool { return strings.ContainsAny(text, holes) }

// maxCompared bounds the work of one comparison with holes; beyond it a match counts
// as possible.
const maxCompared = 1 << 20

// loose returns the text of a word, with holes for unknown text. Globs are
// holes too.
func loose(w *syntax.Word) string {
	if w == nil {
		return ""
	}
	var b strings.Builder
	for n, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(looseLiteral(p.Value, n == 0))
		case *syntax.SglQuoted:
			b.WriteString(singleQuoted(p))
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				if lit, is := q.(*syntax.Lit); is {
					b.WriteString(Unescape(lit.Value, "$`\"\\\n"))
				} else {
					b.WriteString(hole)
				}
			}
		default:
			b.WriteString(hole)
		}
	}
	return b.String()
}

// looseLiteral is loose for unquoted text.
func looseLiteral(text string, begins bool) string {
	if begins && strings.HasPrefix(text, "~") {
		user, rest, found := strings.Cut(text, "/")
		if user != "~" {
			user = hole
		}
		if text = user; found {
			text += "/" + rest
		}
	}
	if text == "[" || text == "]" || !strings.ContainsAny(text, `*?[\`) {
		return text
	}
	var b strings.Builder
	for n := 0; n < len(text); n++ {
		switch c := text[n]; c {
		case '\\':
			if n++; n < len(text) && text[n] != '\n' {
				b.WriteByte(text[n])
			}
		case '*', '?':
			b.WriteString(names)
		case '[':
			if end := strings.IndexByte(text[n:], ']'); end > 0 {
				n += end
			}
			b.WriteString(names)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// mayMatch reports whether some text in the place of each hole makes a text match
// a pattern with stars.
func mayMatch(pattern, text string) bool {
	star, gap := strings.IndexByte(pattern, '*'), strings.IndexAny(text, holes)
	if gap < 0 {
		return wildcard(pattern, text)
	}
	if star < 0 {
		star = len(pattern)
	}
	if n := min(star, gap); pattern[:n] != text[:n] {
		return false
	}
	if len(pattern)*len(text) > maxCompared {
		return true
	}
	// now[j] reports whether the pattern so far and text[:j] have a text in common.
	now, next := make([]bool, len(text)+1), make([]bool, len(text)+1)
	now[0] = true
	for j := 0; j < len(text) && text[j] <= names[0]; j++ {
		now[j+1] = true
	}
	for i := range len(pattern) {
		star := pattern[i] == '*'
		next[0] = star && now[0]
		for j := range len(text) {
			switch {
			case star:
				next[j+1] = now[j+1] || next[j]
			case text[j] <= names[0]: // a hole takes any number of bytes
				next[j+1] = now[j+1] || next[j]
			default:
				next[j+1] = now[j] && pattern[i] == text[j]
			}
		}
		now, next = next, now
	}
	return now[len(text)]
}
