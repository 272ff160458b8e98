// Package title makes the title of a session from its first prompt. It is pure.
package title

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"betcode/messages/masking"
	"betcode/messages/visible"
)

// Max is how many characters a title has at most.
const Max = 60

const (
	looks = 8 << 10 // bytes of a prompt that a title is made of; more than Max, so that half a secret is not mistaken for a word
	least = 12      // characters of a sentence; a shorter one, such as "Hi.", is not informative alone
)

// trailing is what a title does not end with.
const trailing = " .:;,。"

// secrets masks by the form of secrets, without known values.
var secrets = masking.New(nil)

// marks begin lines of Markdown: headings, quotes, items and fences.
var marks = regexp.MustCompile("^(?:#{1,6} +|> *|[-*+] +|[0-9]{1,3}[.)] +|`{3,}[a-z]*)+")

// Of returns the title of a session that begins with a prompt: the first sentence of its first line that has a letter or a
// digit, cut between words. Secrets are masked, and hidden characters left out. Empty if there is no such line.
func Of(prompt string) string {
	if len(prompt) > looks {
		prompt = prompt[:looks]
	}
	prompt = secrets.Mask(strings.ToValidUTF8(prompt, ""))
	for line := range strings.SplitSeq(prompt, "\n") {
		line = clean(line)
		if strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			return cut(strings.TrimRight(sentence(line), trailing))
		}
	}
	return ""
}

// clean returns a line without marks and hidden characters, with single spaces.
func clean(line string) string {
	line = marks.ReplaceAllString(strings.TrimSpace(line), "")
	line = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case visible.Hidden(r), r == utf8.RuneError:
			return -1
		}
		return r
	}, line)
	return strings.Join(strings.Fields(line), " ")
}

// sentence returns the first sentence of a line. A full stop ends one before a word that begins with a capital, so that
// neither "main.go" nor "e.g. this" is cut.
func sentence(line string) string {
	characters := 0
	for i, r := range line {
		characters++
		if characters < least {
			continue
		}
		rest := line[i+utf8.RuneLen(r):]
		switch r {
		case '。', '！', '？':
			return line[:len(line)-len(rest)]
		case '.', '!', '?':
			next, _ := utf8.DecodeRuneInString(strings.TrimPrefix(rest, " "))
			if strings.HasPrefix(rest, " ") && !unicode.IsLower(next) && !abbreviated(line[:i]) {
				return line[:len(line)-len(rest)]
			}
		}
	}
	return line
}

// abbreviated reports whether a text ends with a word of one letter, as in "e.g" and "J".
func abbreviated(text string) bool {
	last, size := utf8.DecodeLastRuneInString(text)
	before, _ := utf8.DecodeLastRuneInString(text[:len(text)-size])
	return unicode.IsLetter(last) && !unicode.IsLetter(before) && !unicode.IsDigit(before)
}

// cut shortens a text to Max characters: between words, or within one that leaves less than half.
func cut(text string) string {
	if utf8.RuneCountInString(text) <= Max {
		return text
	}
	runes := []rune(text)
	end := Max - 1 // one is the ellipsis
	for end > 0 && unicode.Is(unicode.M, runes[end]) {
		end-- // a mark stays with its letter
	}
	for i := end; i > Max/2; i-- {
		if runes[i] == ' ' {
			end = i
			break
		}
	}
	return strings.TrimRight(string(runes[:end]), trailing) + "…"
}
