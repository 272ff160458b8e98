// Package masking hides secrets in texts that are stored or shown: values that the caller knows, and what looks like a
// secret. It is pure. The audit log, the daemon's log and titles of sessions use it.
package masking

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

const (
	previewRunes = 256
	previewLooks = 8 << 10 // bytes of a text that its preview is made of
	mask         = "***"
	leastSecret  = 8 // shorter values are no secrets, and would be found everywhere
)

// Masker hides secrets in texts: the values it knows, and what looks like one.
type Masker struct{ known *strings.Replacer }

// New makes a masker that knows some secrets. Those of less than eight bytes are
// left out.
func New(secrets []string) *Masker {
	var pairs []string
	for _, s := range secrets {
		if len(s) >= leastSecret {
			pairs = append(pairs, s, mask)
		}
	}
	return &Masker{strings.NewReplacer(pairs...)}
}

// Known hides the secrets that the masker knows.
func (m *Masker) Known(text string) string { return m.known.Replace(text) }

// named is what a secret is called, in names of variables, members and flags.
const named = `[\w.-]*(?:passw(?:or)?d|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential|authorization)[\w.-]*`

// The looks of secrets. Where there is a group, it alone stays. They are compiled when they are needed: most commands need none.
var looks = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`(?s)()-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`),
		regexp.MustCompile(`(?i)\b((?:bearer|basic)\s+)[\w.~+/=-]{8,}`),
		regexp.MustCompile(`(?i)(` + named + `\\?["']?\s*[:=]\s*\\?["']?)[^\s"'\\,;&]+`),
		regexp.MustCompile(`(?i)(--?` + named + `\s+\\?["']?)[^\s"'\\-][^\s"'\\]*`),
		regexp.MustCompile(`(://[^/\s:@"]+:)[^@/\s"]+@`),
		regexp.MustCompile(`\b(?:sk-|sk_live_|sk_test_|gh[opsur]_|github_pat_|glpat-|gldt-|xox[abeoprs]-|AKIA|ASIA|AIza|npm_|hf_|betcode_)[\w-]{12,}()`),
		regexp.MustCompile(`\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?()`),
	}
})

// long may be a secret for its length; [random] decides.
var long = regexp.MustCompile(`[A-Za-z0-9_+-]{40,}={0,2}`)

// Mask hides the secrets that the masker knows and what looks like one.
func (m *Masker) Mask(text string) string {
	text = m.Known(text)
	for _, look := range looks() {
		text = look.ReplaceAllString(text, "${1}"+mask)
	}
	return long.ReplaceAllStringFunc(text, func(word string) string {
		if random(word) {
			return mask
		}
		return word
	})
}

// random reports whether a word has capitals, small letters and digits: names of
// commits and files do not.
func random(word string) bool {
	return strings.ContainsFunc(word, unicode.IsUpper) && strings.ContainsFunc(word, unicode.IsLower) && strings.ContainsFunc(word, unicode.IsDigit)
}

// Preview is the beginning of a text, fit for a line: masked, without control
// characters, at most 256 characters.
func (m *Masker) Preview(text string) string {
	if len(text) > previewLooks {
		text = text[:previewLooks]
		if end := strings.LastIndexAny(text, " \n\t,"); end > previewRunes {
			text = text[:end] // half a secret does not look like one
		}
	}
	text = m.Mask(strings.ToValidUTF8(text, "?"))
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf) { // also what turns the direction of text
			return ' '
		}
		return r
	}, text)
	if utf8.RuneCountInString(text) <= previewRunes {
		return text
	}
	return string([]rune(text)[:previewRunes-1]) + "…"
}
