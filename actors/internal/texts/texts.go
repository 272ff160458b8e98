// Package texts formats values for people: shortened texts, durations and words for a shell. Its functions are pure.
package texts

import (
	"fmt"
	"time"
	"unicode/utf8"
)

// Shorten cuts a text after so many characters.
func Shorten(text string, characters int) string {
	if utf8.RuneCountInString(text) <= characters {
		return text
	}
	runes := []rune(text)
	return string(runes[:characters-1]) + "…"
}

// Duration formats a duration in the notation of the configuration: "7d", "1h".
func Duration(d time.Duration) string {
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

// Age formats an age in the largest unit that fits, rounded down: "1h", "2d".
func Age(age time.Duration) string {
	for _, unit := range []time.Duration{24 * time.Hour, time.Hour, time.Minute} {
		if age >= unit && (unit < 24*time.Hour || age >= 48*time.Hour) {
			return Duration(age.Truncate(unit))
		}
	}
	return Duration(age)
}
