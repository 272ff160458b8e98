package visible

import (
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON escapes runes in encoded JSON that a terminal would interpret or a person would not see. JSON itself
// requires this only for control characters of ASCII. The decoded value stays the same.
func JSON(text string) string {
	hidden := func(r rune) bool { return r >= 0x7f && r != utf8.RuneError && Hidden(r) }
	if strings.IndexFunc(text, hidden) < 0 {
		return text
	}
	var out strings.Builder
	for _, r := range text {
		if !hidden(r) {
			out.WriteRune(r)
			continue
		}
		for _, half := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&out, `\u%04x`, half)
		}
	}
	return out.String()
}
