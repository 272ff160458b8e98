package messages

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Reasons why a text cannot be an argument of the agent's command line.
var (
	ErrArgumentDash    = errors.New("begins with a dash")
	ErrArgumentControl = errors.New("has control or invisible characters")
)

// Argument returns text for the agent's command line, without the white space around it,
// Unicode spaces included. It returns [ErrArgumentDash] for text that the agent could
// take for an option, and [ErrArgumentControl] for text with characters that people do
// not see. Empty text stays empty.
//
// The gateway and the builder of the command line both call it, so that they accept the same values.
func Argument(text string) (string, error) {
	trimmed := strings.TrimFunc(text, unicode.IsSpace)
	if strings.HasPrefix(strings.TrimLeftFunc(trimmed, blank), "-") {
		return "", ErrArgumentDash
	}
	if strings.ContainsFunc(trimmed, invisible) || !utf8.ValidString(trimmed) {
		return "", ErrArgumentControl
	}
	return trimmed, nil
}

// blank reports whether a rune before an option would not be seen.
func blank(r rune) bool { return unicode.IsSpace(r) || invisible(r) }

// invisible reports whether a rune changes how text is read or shown and is not itself shown.
func invisible(r rune) bool {
	switch {
	case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Cs):
		return true
	case unicode.Is(unicode.Variation_Selector, r), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r):
		return true
	}
	return r == '\u2800' // a blank braille pattern
}

// Number lists the number types that [Count] accepts.
type Number interface{ int | int64 | uint32 | uint64 }

// Count returns a number with its noun in singular or plural: "1 session", "2 sessions".
func Count[N Number](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
