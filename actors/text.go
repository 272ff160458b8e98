package actors

import (
	"fmt"
	"time"
	"unicode/utf8"
)

// shorten cuts a text after so many characters.
func shorten(text string, characters int) string {
	if utf8.RuneCountInString(text) <= characters {
		return text
	}
	runes := []rune(text)
	return string(runes[:characters-1]) + "…"
}

// humanDuration writes a duration as the configuration does: "7d", "1h".
func humanDuration(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d >= day && d%day == 0:
		return fmt.Sprintf("%dd", d/day)
	case d >= time.Hour && d%time.Hour == 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	default:
		return d.Round(time.Second).String()
	}
}
