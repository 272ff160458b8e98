package console

import (
	"testing"
	"time"
)

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		12 * time.Second: "12s", 61 * time.Second: "1m 1s", 9240 * time.Second: "2h 34m", 76 * time.Hour: "3d 4h",
	} {
		if got := Span(d); got != want {
			t.Errorf("%v is %s, want %s", d, got, want)
		}
	}
}

// TestPrintable: an agent must not be able to steer the terminal.
func TestPrintable(t *testing.T) {
	for given, want := range map[string]string{
		"plain\n\ttext":       "plain\n\ttext",
		"\x1b]0;title\x07":    `\x1b]0;title\x07`,
		"a\r\nb\rc":           "a\nb\\rc",
		"\u009b2J":            `\u009b2J`,
		"a\u202eb":            `a\u202eb`,
		"bad \xff bytes é 日本": "bad \\xff bytes é 日本",
	} {
		if got := Text(given); got != want {
			t.Errorf("%q becomes %q, want %q", given, got, want)
		}
	}
}
