package query

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"betcode/persistence/search/internal/words"
)

// Bounds of a query.
const (
	MaxText     = 4 << 10 // bytes
	maxClauses  = 32
	maxWords    = 64
	maxPrefixes = 8
	minPrefix   = 2 // least characters before *
)

// Query is a parsed query: every clause of Want must match, and none of Exclude.
type Query struct{ Want, Exclude []Clause }

// Clause is a sequence of adjacent words in a text; usually one.
type Clause []Word

// Word is a word as the index has it, or the beginning of such words.
type Word struct {
	Text   string
	Prefix bool
}

// Parse parses a query. Signs between words are ignored.
func Parse(text string) (Query, error) {
	if len(text) > MaxText {
		return Query{}, fmt.Errorf("the text has %d bytes, more than %d", len(text), MaxText)
	}
	var q Query
	count, prefixes := 0, 0
	for rest := text; ; {
		var t token
		if t, rest = next(rest); t == (token{}) {
			break
		}
		clause, err := t.clause()
		if err != nil {
			return Query{}, err
		}
		if len(clause) == 0 {
			continue
		}
		if count += len(clause); clause[len(clause)-1].Prefix {
			prefixes++
		}
		if t.exclude {
			q.Exclude = append(q.Exclude, clause)
		} else {
			q.Want = append(q.Want, clause)
		}
		if len(q.Want)+len(q.Exclude) > maxClauses || count > maxWords {
			return Query{}, fmt.Errorf("there are more than %d words", maxClauses)
		}
		if prefixes > maxPrefixes {
			return Query{}, fmt.Errorf("there are more than %d words with *", maxPrefixes)
		}
	}
	if len(q.Want) == 0 && len(q.Exclude) > 0 {
		return Query{}, errors.New("every word is excluded")
	}
	return q, nil
}

// token is a part of the text of a query.
type token struct {
	text            string
	exclude, prefix bool
}

// next takes a token from the front of a text; the zero token at the end.
func next(text string) (t token, rest string) {
	text = strings.TrimLeftFunc(text, unicode.IsSpace)
	if body, found := strings.CutPrefix(text, "-"); found && body != "" && !startsWithSpace(body) {
		t.exclude, text = true, body
	}
	if body, found := strings.CutPrefix(text, `"`); found {
		t.text, rest, _ = strings.Cut(body, `"`)
		if t.text == "" {
			t.text = " " // not the end
		}
	} else {
		end := strings.IndexFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '"' })
		if end < 0 {
			end = len(text)
		}
		t.text, rest = text[:end], text[end:]
	}
	if body, found := strings.CutSuffix(t.text, "*"); found {
		t.text, t.prefix = body, true
	} else if body, found := strings.CutPrefix(rest, "*"); found { // behind a phrase
		t.prefix, rest = true, body
	}
	return t, rest
}

func startsWithSpace(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsSpace(r)
}

// clause returns the words of a token; none if it has only signs.
func (t token) clause() (Clause, error) {
	var clause Clause
	end := 0 // of the newest pair
	for w := range words.Of(t.text) {
		switch {
		case w.Whole, w.Last && w.Start < end:
			continue
		case w.Last: // a single character: the index has it as the beginning of pairs
			clause = append(clause, Word{Text: w.Text, Prefix: true})
			continue
		}
		end = w.End
		clause = append(clause, Word{Text: w.Text})
	}
	if !t.prefix || len(clause) == 0 {
		return clause, nil
	}
	last := &clause[len(clause)-1]
	if !last.Prefix && utf8.RuneCountInString(last.Text) < minPrefix {
		return nil, fmt.Errorf("%s*: give at least %d characters before *", last.Text, minPrefix)
	}
	last.Prefix = true
	return clause, nil
}
