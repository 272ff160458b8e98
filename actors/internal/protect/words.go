package protect

import (
	"iter"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"betcode/actors/internal/rules"
)

// maxBraces bounds how many words the braces of one word are expanded into.
const maxBraces = 64

// words yields the words that one word stands for, with braces expanded, and whether each is known
// before the command runs.
func (s *shell) words(w *syntax.Word) iter.Seq2[string, bool] {
	return func(yield func(string, bool) bool) {
		clone := *w
		clone.Parts = append([]syntax.WordPart(nil), w.Parts...)
		syntax.SplitBraces(&clone)
		n := 0
		for inner, err := range expand.BracesSeq(nil, &clone) {
			if n++; err != nil || n > maxBraces {
				yield("", false)
				return
			}
			if !yield(s.word(inner)) {
				return
			}
		}
	}
}

// word returns a word without its quotes. It is not ok if the word is known only when the
// command runs: variables except HOME and PWD, substitutions, patterns.
func (s *shell) word(w *syntax.Word) (value string, ok bool) {
	if w == nil {
		return "", true
	}
	var b strings.Builder
	ok = true
	for n, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			text := rules.Unescape(p.Value, "")
			if n == 0 && strings.HasPrefix(p.Value, "~") {
				text, ok = s.tilde(p.Value, ok)
			}
			ok = ok && !strings.ContainsAny(strings.ReplaceAll(p.Value, `\`, ""), "*?[")
			b.WriteString(text)
		case *syntax.SglQuoted:
			b.WriteString(singleQuoted(p))
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				switch q := q.(type) {
				case *syntax.Lit:
					b.WriteString(rules.Unescape(q.Value, "$`\"\\\n"))
				case *syntax.ParamExp:
					ok = s.variable(&b, q) && ok
				default:
					ok = false
				}
			}
		case *syntax.ParamExp:
			ok = s.variable(&b, p) && ok
		default:
			ok = false
		}
	}
	return b.String(), ok
}

func (s *shell) tilde(text string, ok bool) (string, bool) {
	rest := rules.Unescape(text[1:], "")
	if rest == "" || strings.HasPrefix(rest, "/") {
		return s.home + rest, ok
	}
	return text, false // another user's home directory
}

// variable evaluates the two variables whose values are known.
func (s *shell) variable(b *strings.Builder, p *syntax.ParamExp) bool {
	if p.Param == nil || p.Excl || p.Length || p.Width || p.Index != nil || p.Slice != nil || p.Repl != nil || p.Exp != nil {
		return false
	}
	switch p.Param.Value {
	case "HOME":
		b.WriteString(s.home)
	case "PWD":
		if len(s.dirs) > 1 || s.lost {
			return false
		}
		b.WriteString(s.dirs[0])
	default:
		return false
	}
	return true
}

func singleQuoted(q *syntax.SglQuoted) string {
	if q.Dollar {
		if value, _, err := expand.Format(nil, q.Value, nil); err == nil {
			return value
		}
	}
	return q.Value
}
