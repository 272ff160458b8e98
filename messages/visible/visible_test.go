package visible

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ text, want, line string }{
		{"", "", ""},
		{"plain text, ü, 日本, ❤️", "plain text, ü, 日本, ❤️", "plain text, ü, 日本, ❤️"},
		{"two\nlines\tand a tab", "two\nlines\tand a tab", `two\nlines\tand a tab`},
		{"rm x\rls", `rm x\rls`, `rm x\rls`},
		{"a\r\nb", "a\\r\nb", `a\r\nb`},
		{"\x1b[31mred\x1b[0m", `\x1b[31mred\x1b[0m`, `\x1b[31mred\x1b[0m`},
		{"\u009b31m\x7f\b", `\u009b31m\x7f\x08`, `\u009b31m\x7f\x08`},
		{"a\u200bb\u200d\ufeff\u00ad", `a\u200bb\u200d\ufeff\u00ad`, `a\u200bb\u200d\ufeff\u00ad`},
		{"a\u202eb\u2066", `a\u202eb\u2066`, `a\u202eb\u2066`},
		{"\U000e0041\U000e007f", `\u{e0041}\u{e007f}`, `\u{e0041}\u{e007f}`},
		{"rm\u00a0x\u2003y\u3000", `rm\u00a0x\u2003y\u3000`, `rm\u00a0x\u2003y\u3000`},
		{"a\u2028b\u2029", `a\u2028b\u2029`, `a\u2028b\u2029`},
		{"a\ufe0f\U000e0100\u034f\u3164\u2800", `a\ufe0f\u{e0100}\u034f\u3164\u2800`, `a\ufe0f\u{e0100}\u034f\u3164\u2800`},
		{"\ue000\U0010ffff", `\ue000\u{10ffff}`, `\ue000\u{10ffff}`},
		{"a\xff\xc3(", `a\xff\xc3(`, `a\xff\xc3(`},
		{"a\ufffdb", "a\ufffdb", "a\ufffdb"},
	} {
		if got := Text(c.text); got != c.want {
			t.Errorf("Text(%q) = %q, want %q", c.text, got, c.want)
		}
		if got := Line(c.text); got != c.line {
			t.Errorf("Line(%q) = %q, want %q", c.text, got, c.line)
		}
	}
	if got := Output("a\r\nb\rc\r\n"); got != "a\nb\\rc\n" {
		t.Errorf("Output: %q", got)
	}
}

// For any text, the result has no hidden runes, escaping is idempotent, and nothing is lost.
func FuzzText(f *testing.F) {
	for _, s := range []string{"a\rb", "\x1b[2J", "\u202e", "\U000e0041", "❤️", "\xff", "\u00a0-x", "a\ufffd"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for name, shown := range map[string]string{"text": Text(text), "line": Line(text)} {
			if !utf8.ValidString(shown) {
				t.Errorf("%s: %q is shown as %q", name, text, shown)
			}
			for _, r := range shown {
				if plain := name == "text" && (r == '\n' || r == '\t'); !plain && r != emojiStyle && (Hidden(r) || unicode.IsControl(r)) {
					t.Errorf("%s: %q shows %q", name, text, r)
				}
			}
			if utf8.RuneCountInString(shown) < utf8.RuneCountInString(text) {
				t.Errorf("%s: %q loses something as %q", name, text, shown)
			}
		}
		if Text(Text(text)) != Text(text) || Line(Line(text)) != Line(text) || strings.Contains(Line(text), "\n") {
			t.Errorf("%q is shown in two ways", text)
		}
	})
}
