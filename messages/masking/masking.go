// Package masking hides secrets in texts that are stored or shown: values that the caller knows, and texts that look
// like secrets. It is pure. The audit log, the daemon's log and session titles use it.
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
	previewLooks = 8 << 10 // bytes of a text that a preview considers
	mask         = "***"
	leastSecret  = 8 // shorter values are no secrets and would match too much
)

// Masker hides secrets in texts: the values it knows, and texts that look like secrets.
type Masker struct{ known *strings.Replacer }

// New returns a masker that knows secrets. It ignores those of less than eight bytes.
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

// named matches names of secrets, in variables, JSON members and flags.
const named = `[\w.-]*(?:passw(?:or)?d|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential|authorization)[\w.-]*`

// looks are patterns of secrets, of which only the group is kept. They are compiled on first use, since most commands
// need none.
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

// long matches words that may be secrets by their length; [random] decides.
var long = regexp.MustCompile(`[A-Za-z0-9_+-]{40,}={0,2}`)

// Mask hides the secrets that the masker knows and texts that look like secrets.
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

// random reports whether a word has upper-case letters, lower-case letters and digits. Hashes of
// commits and names of files usually do not.
func random(word string) bool {
	return strings.ContainsFunc(word, unicode.IsUpper) && strings.ContainsFunc(word, unicode.IsLower) && strings.ContainsFunc(word, unicode.IsDigit)
}

// Preview returns the beginning of a text for one line: masked, without control characters, at most 256 characters.
func (m *Masker) Preview(text string) string {
	if len(text) > previewLooks {
		text = text[:previewLooks]
		if end := strings.LastIndexAny(text, " \n\t,"); end > previewRunes {
			text = text[:end] // a truncated secret would not match
		}
	}
	text = m.Mask(strings.ToValidUTF8(text, "?"))
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf) { // Cf includes characters that change the direction of text
			return ' '
		}
		return r
	}, text)
	if utf8.RuneCountInString(text) <= previewRunes {
		return text
	}
	return string([]rune(text)[:previewRunes-1]) + "…"
}
