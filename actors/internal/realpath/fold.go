package realpath

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// spelledOut are letters that some file systems treat as equal to several when they ignore case
// (APFS, ext4 with casefold).
var spelledOut = strings.NewReplacer("ß", "ss", "ẞ", "ss", "ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl", "ﬅ", "st", "ﬆ", "st")

// Fold converts a name or a path into the form in which names are compared: names that some file
// system treats as equal become the same text. Case is ignored, accents may be
// letters of their own or not (NFC, NFD), and invisible characters do not count.
func Fold(name string) string {
	ascii := true
	for n := range len(name) {
		ascii = ascii && name[n] < 0x80
	}
	if ascii {
		return strings.ToLower(name)
	}
	folded := strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) {
			return -1
		}
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return unicode.ToLower(least)
	}, spelledOut.Replace(norm.NFD.String(name)))
	return norm.NFD.String(folded) // a removed character may have separated two accents
}
