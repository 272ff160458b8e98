// Package visible makes text of agents, repositories and callers safe for terminals and logs.
// Characters that a person would not see or that a terminal would interpret are escaped, such as
// \r, \x1b, \u200b or \u{e0041}. None is dropped, so that different texts do not look alike.
package visible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text escapes hidden characters, except line feeds and tabs. It is idempotent.
func Text(text string) string {
	return show(text, func(r rune) bool { return r == '\n' || r == '\t' })
}

// Output is [Text] for the output of programs, where a carriage return may precede a line feed.
func Output(text string) string { return Text(strings.ReplaceAll(text, "\r\n", "\n")) }

// Line returns text on one line: it escapes line feeds and tabs too.
func Line(text string) string { return show(text, func(rune) bool { return false }) }

// Hidden reports whether a rune is invisible, changes how others are shown, or looks like a plain
// space. The line feed and the tab are hidden too.
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
			out.WriteRune(r) // it only selects the coloured form of the sign before it
		case Hidden(r) && !plain(r):
			out.WriteString(Escape(r))
		default:
			out.WriteRune(r)
		}
		before = r
	}
	return out.String()
}

// simple reports whether text has only printable ASCII, as most texts do.
func simple(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

const emojiStyle = '\ufe0f'

// Escape returns the escape of a hidden rune.
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
