package rules

import (
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// maxBraces bounds how many words the braces of one word are expanded into.
const maxBraces = 256

// static returns a word without its quotes. It is not ok if a part of it is
// known only when it is evaluated; then the rest is returned.
func static(w *syntax.Word) (value string, ok bool) {
	if w == nil {
		return "", true
	}
	var b strings.Builder
	ok = true
	for n, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			ok = ok && (n > 0 || !strings.HasPrefix(p.Value, "~"))
			b.WriteString(Unescape(p.Value, ""))
		case *syntax.SglQuoted:
			ok = ok && !p.Dollar
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			ok = ok && !p.Dollar
			for _, q := range p.Parts {
				lit, is := q.(*syntax.Lit)
				if ok = ok && is; is {
					b.WriteString(Unescape(lit.Value, "$`\"\\\n"))
				}
			}
		default:
			ok = false
		}
	}
	return b.String(), ok
}

// Unescape removes the backslashes before the characters in only, or before all characters if
// only is empty. A backslash at the end of a line is removed together with the line break.
func Unescape(text, only string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for n := 0; n < len(text); n++ {
		if text[n] == '\\' && n+1 < len(text) && (only == "" || strings.IndexByte(only, text[n+1]) >= 0) {
			if n++; text[n] == '\n' {
				continue
			}
		}
		b.WriteByte(text[n])
	}
	return b.String()
}

// singleQuoted returns the text of '…' or $'…', with a hole for escapes.
func singleQuoted(q *syntax.SglQuoted) string {
	if q.Dollar && strings.Contains(q.Value, `\`) {
		return hole
	}
	return q.Value
}

// looseWords returns words with holes for text that is known only at run time. A word with
// braces becomes the words that the braces make, and one with a hole.
func looseWords(words []*syntax.Word) []string {
	all := make([]string, 0, len(words))
	for _, w := range words {
		if !hasBraces(w) {
			all = append(all, loose(w))
			continue
		}
		clone := *w
		clone.Parts = append([]syntax.WordPart(nil), w.Parts...)
		syntax.SplitBraces(&clone)
		n := 0
		for inner, err := range expand.BracesSeq(nil, &clone) {
			if n++; err != nil || n > maxBraces {
				break
			}
			all = append(all, loose(inner))
		}
		if n > 1 {
			all = append(all, hole)
		}
	}
	return all
}

func hasBraces(w *syntax.Word) bool { return unquotedAny(w, "{") }

func unquotedAny(w *syntax.Word, chars string) bool {
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(p.Value, chars) {
				return true
			}
		case *syntax.ExtGlob:
			return true
		}
	}
	return false
}

// quoteAll joins words so that no two lists of words give the same text.
func quoteAll(words []string) string {
	var b strings.Builder
	for n, w := range words {
		if n > 0 {
			b.WriteByte(' ')
		}
		if w == "" || strings.ContainsAny(w, " \t\n'") {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		b.WriteString(w)
	}
	return b.String()
}
