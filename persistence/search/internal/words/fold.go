package words

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// fold returns the common form of all spellings of a word.
func fold(word string) string {
	for i := range len(word) {
		if word[i] >= utf8.RuneSelf {
			return clip(foldUnicode(word), MaxBytes)
		}
	}
	return clip(strings.ToLower(word), MaxBytes)
}

// foldUnicode decomposes a word, drops accents, composes it again and folds its case. Marks of other scripts are vowels and stay.
// It does so with the beginning of a word that is far longer than MaxBytes.
func foldUnicode(word string) string {
	decomposed := norm.NFKD.String(clip(word, 4*MaxBytes))
	plain := strings.Map(func(r rune) rune {
		if 0x0300 <= r && r <= 0x036F {
			return -1
		}
		return r
	}, decomposed)
	return norm.NFC.String(cases.Fold().String(plain))
}

// clip cuts a word between two runes, if it has more bytes than most.
func clip(word string, most int) string {
	if len(word) <= most {
		return word
	}
	for most > 0 && !utf8.RuneStart(word[most]) {
		most--
	}
	return word[:most]
}

// withoutUnderscores returns an identifier in one piece.
func withoutUnderscores(identifier string) string { return strings.ReplaceAll(identifier, "_", "") }
