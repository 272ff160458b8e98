// Package flags recognises options of command lines in the forms that programs accept:
// long ones abbreviated, short ones bundled in one word. Rules and the list of
// protected files look for options that run another program, and share these forms.
package flags

import "strings"

// Abbreviates reports whether a word is one of some long options, or the beginning of one.
// A value behind "=" does not count. Programs that share the C library's parser, and git,
// take any beginning that is unique; two dashes alone end the options.
func Abbreviates(word string, long ...string) bool {
	option, _, _ := strings.Cut(word, "=")
	for _, l := range long {
		if len(option) > 2 && strings.HasPrefix(l, option) {
			return true
		}
	}
	return false
}

// Bundled reports whether a word of short options has one of some letters. The text behind
// one of the letters in valued is the value of that option, and is ignored.
func Bundled(word, letters, valued string) bool {
	if len(word) < 2 || word[0] != '-' || word[1] == '-' {
		return false
	}
	for n := 1; n < len(word); n++ {
		if strings.IndexByte(letters, word[n]) >= 0 {
			return true
		}
		if strings.IndexByte(valued, word[n]) >= 0 {
			return false
		}
	}
	return false
}
