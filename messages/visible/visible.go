// Package visible shows text of agents, repositories and callers on a terminal and in
// logs: what a person would not see, or what a terminal would obey, is written as an
// escape, such as \r, \x1b, \u200b or \u{e0041}. Nothing is dropped, so that two texts
// which differ do not look alike because of it.
package visible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns text with its lines and tabs as they are and everything else that is
// hidden escaped. Text that was shown once is not changed by being shown again.
func Text(text string) string {
	return show(text, func(r rune) bool { return r == '\n' || r == '\t' })
}

// Output is [Text] for what programs print, where a carriage return before the end of a
// line is a part of that end.
func Output(text string) string { return Text(strings.ReplaceAll(text, "\r\n", "\n")) }

// Line returns text on one line: ends of lines and tabs are escaped too.
func Line(text string) string { return show(text, func(rune) bool { return false }) }

// Hidden reports whether a rune is not seen, changes how others are shown, or cannot be
// told from a plain space. The line feed and the tab are hidden too.
func Hidden(r rune) bool {
	switch {
	case r >= ' ' && r <= '~':
		return false
	case !unicode.IsGraphic(r), unicode.Is(unicode.Zs, r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r):
		return true
	case unicode.Is(unicode.Variation_Selector, r), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r):
		return true
	}
	return r == '\u2800' // a blank braille pattern
}

func show(text string, plain func(rune) bool) string {
	if simple(text) {
		return text
	}
	hides := func(r rune) bool { return r == utf8.RuneError || Hidden(r) && !plain(r) }
	if strings.IndexFunc(text, hides) < 0 {
		return text
	}
	var out strings.Builder
	var before rune
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)):
			fmt.Fprintf(&out, `\x%02x`, text[i])
		case r == emojiStyle && before != utf8.RuneError && unicode.Is(unicode.So, before):
			out.WriteRune(r) // it has the sign before it drawn in colour, and nothing else
		case Hidden(r) && !plain(r):
			out.WriteString(Escape(r))
		default:
			out.WriteRune(r)
		}
		before = r
	}
	return out.String()
}

// simple reports whether text has nothing but letters, digits, signs and spaces of ASCII, as most has.
func simple(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

const emojiStyle = '\ufe0f'

// Escape is how a hidden rune is written.
func Escape(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r < utf8.RuneSelf:
		return fmt.Sprintf(`\x%02x`, r)
	case r <= 0xffff:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\u{%x}`, r)
}
