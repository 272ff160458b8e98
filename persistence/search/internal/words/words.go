package words

import (
	"iter"
	"unicode"
	"unicode/utf8"
)

// MaxBytes bounds a word. The rest of a longer one is ignored, in texts and in queries alike.
const MaxBytes = 64

// Word is one word of a text.
type Word struct {
	Text       string // folded
	Position   int    // counts the words of the text from 0; alternatives share one
	Start, End int    // bytes of the text
	Whole      bool   // an identifier whose parts are words as well
	Last       bool   // the last character of a run that is cut into pairs: it begins no pair
}

// Of returns the words of a text, in the order of their positions.
func Of(text string) iter.Seq[Word] {
	return func(yield func(Word) bool) {
		c := cutter{text: text, yield: yield}
		for at := 0; at < len(text); {
			r, size := utf8.DecodeRuneInString(text[at:])
			if !inWord(r) {
				at += size
				continue
			}
			end := at + size
			for end < len(text) {
				r, size := utf8.DecodeRuneInString(text[end:])
				if !inWord(r) && r != '_' {
					break
				}
				end += size
			}
			if !c.identifier(at, end) {
				return
			}
			at = end
		}
	}
}

// inWord reports whether a rune is part of a word.
func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

// unspaced are the scripts that put no spaces between words, and Hangul, which adds particles to words.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// paired reports whether a rune is cut into pairs with its neighbours.
func paired(r rune) bool {
	const longVowel = 'ー' // of Katakana, but common to scripts
	return r >= 0x0E00 && (r == longVowel || unicode.In(r, unspaced...))
}

// cutter cuts identifiers into words.
type cutter struct {
	text     string
	position int
	yield    func(Word) bool
}

// identifier yields the words of a run of letters, digits and underscores. It returns false when the caller stops.
func (c *cutter) identifier(start, end int) bool {
	first, parts, pairs := c.position, 0, false
	for at := start; at < end; {
		if c.text[at] == '_' {
			at++
			continue
		}
		r, _ := utf8.DecodeRuneInString(c.text[at:])
		if paired(r) {
			next := c.run(at, end, paired)
			if !c.pairs(at, next) {
				return false
			}
			at, pairs = next, true
			continue
		}
		next := c.part(at, end)
		parts++
		if !c.word(Word{Text: fold(c.text[at:next]), Start: at, End: next}) {
			return false
		}
		at = next
	}
	if parts < 2 || pairs {
		return true
	}
	whole := Word{Text: fold(withoutUnderscores(c.text[start:end])), Position: first, Start: start, End: end, Whole: true}
	return c.yield(whole)
}

// word yields a word at the next position.
func (c *cutter) word(w Word) bool {
	w.Position = c.position
	c.position++
	return w.Text == "" || c.yield(w)
}

// pairs yields the overlapping pairs of a run, and its last character alone.
func (c *cutter) pairs(start, end int) bool {
	for at := start; at < end; {
		_, size := utf8.DecodeRuneInString(c.text[at:end])
		next := at + size
		w := Word{Text: fold(c.text[at:next]), Start: at, End: next, Last: true}
		if next < end {
			_, size := utf8.DecodeRuneInString(c.text[next:end])
			w.Text, w.End, w.Last = w.Text+fold(c.text[next:next+size]), next+size, false
		}
		if !c.word(w) {
			return false
		}
		at = next
	}
	return true
}

// run returns the end of the runes that in accepts.
func (c *cutter) run(at, end int, in func(rune) bool) int {
	for at < end {
		r, size := utf8.DecodeRuneInString(c.text[at:end])
		if !in(r) {
			break
		}
		at += size
	}
	return at
}

// part returns the end of the part of an identifier that begins at a byte: before an underscore, before an upper-case letter that
// follows a lower-case one or a digit, and before the last of several upper-case letters that a lower-case one follows.
func (c *cutter) part(at, end int) int {
	var before, last rune // the last two runes
	previous := at        // start of last
	for i := at; i < end; {
		r, size := utf8.DecodeRuneInString(c.text[i:end])
		switch {
		case r == '_', paired(r):
			return i
		case last != 0 && unicode.IsUpper(r) && !unicode.IsUpper(last):
			return i
		case before != 0 && unicode.IsLower(r) && unicode.IsUpper(last) && unicode.IsUpper(before):
			return previous
		}
		before, last, previous = last, r, i
		i += size
	}
	return end
}
