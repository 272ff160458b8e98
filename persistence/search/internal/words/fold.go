package words

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// fold returns the form of a word that all its spellings share.
func fold(word string) string {
	for i := range len(word) {
		if word[i] >= utf8.RuneSelf {
			return clip(foldUnicode(word))
		}
	}
	return clip(strings.ToLower(word))
}

// foldUnicode decomposes a word, drops accents, composes it again and folds its case. Marks of other scripts are vowels and stay.
func foldUnicode(word string) string {
	decomposed := norm.NFKD.String(clipRaw(word))
	plain := strings.Map(func(r rune) rune {
		if 0x0300 <= r && r <= 0x036F {
			return -1
		}
		return r
	}, decomposed)
	return norm.NFC.String(cases.Fold().String(plain))
}

// clipRaw bounds the work on a word: one that is far longer than MaxBytes is cut before it is folded.
func clipRaw(word string) string {
	const most = 4 * MaxBytes
	if len(word) <= most {
		return word
	}
	end := most
	for end > 0 && !utf8.RuneStart(word[end]) {
		end--
	}
	return word[:end]
}

// clip cuts a folded word at MaxBytes, between two runes.
func clip(word string) string {
	if len(word) <= MaxBytes {
		return word
	}
	end := MaxBytes
	for end > 0 && !utf8.RuneStart(word[end]) {
		end--
	}
	return word[:end]
}

// withoutUnderscores returns an identifier in one piece.
func withoutUnderscores(identifier string) string { return strings.ReplaceAll(identifier, "_", "") }
