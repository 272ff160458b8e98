package query

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"betcode/messages"
	"betcode/persistence/search/internal/words"
)

const (
	snippetBytes = 160 // of a text, without the rest of its last word
	lead         = 40  // bytes before the first match
)

// Matches returns where the wanted clauses are in a text, in order and without overlap.
func (q Query) Matches(text string) []messages.TextRange {
	var all []words.Word
	at := map[int][]int{} // places in all, by position
	for w := range words.Of(text) {
		at[w.Position] = append(at[w.Position], len(all))
		all = append(all, w)
	}
	var found []messages.TextRange
	for _, w := range all {
		end := 0
		for _, clause := range q.Want {
			if n, ok := clause.at(w, all, at); ok {
				end = max(end, n)
			}
		}
		switch n := len(found); {
		case end == 0:
		case n > 0 && w.Start <= found[n-1].End: // pairs overlap, as do an identifier and its parts
			found[n-1].End = max(found[n-1].End, end)
		default:
			found = append(found, messages.TextRange{Start: w.Start, End: end})
		}
	}
	return found
}

// at reports whether a clause begins with a word of a text, and where it ends.
func (c Clause) at(first words.Word, all []words.Word, at map[int][]int) (end int, ok bool) {
	if !c[0].is(first) {
		return 0, false
	}
	end = first.End
	for i, want := range c[1:] {
		found := false
		for _, place := range at[first.Position+i+1] {
			if want.is(all[place]) {
				end, found = max(end, all[place].End), true
			}
		}
		if !found {
			return 0, false
		}
	}
	return end, true
}

func (w Word) is(found words.Word) bool {
	return w.Text == found.Text || w.Prefix && strings.HasPrefix(found.Text, w.Text)
}

// Snippet returns the part of a text with the most matches on one line, and where they are in it.
func (q Query) Snippet(text string) (string, []messages.TextRange) {
	matches := q.Matches(text)
	start, end := window(text, matches)
	var out strings.Builder
	if start > 0 {
		out.WriteString("… ")
	}
	ranges := make([]messages.TextRange, 0, len(matches))
	space := true // the last character written was a space
	for i, r := range text[start:end] {
		at := start + i
		for len(matches) > 0 && matches[0].End <= at {
			ranges, matches = closeRange(ranges, out.Len()), matches[1:]
		}
		if unicode.IsSpace(r) {
			if !space {
				out.WriteByte(' ')
			}
			space = true
			continue
		}
		if len(matches) > 0 && matches[0].Start == at {
			ranges = append(ranges, messages.TextRange{Start: out.Len(), End: -1})
		}
		out.WriteRune(r)
		space = false
	}
	ranges = closeRange(ranges, out.Len())
	if end < len(text) {
		out.WriteString(" …")
	}
	return out.String(), ranges
}

// closeRange ends the last range, if it has no end.
func closeRange(ranges []messages.TextRange, at int) []messages.TextRange {
	if n := len(ranges); n > 0 && ranges[n-1].End < 0 {
		ranges[n-1].End = at
	}
	return ranges
}

// window returns the part of a text that a snippet shows: the first one with the most matches.
func window(text string, matches []messages.TextRange) (start, end int) {
	best, most, right := 0, 0, 0
	for left := range matches {
		for right < len(matches) && matches[right].End <= matches[left].Start+snippetBytes-lead {
			right++
		}
		if right-left > most {
			best, most = matches[left].Start, right-left
		}
	}
	if most == 0 && len(matches) > 0 { // the first match is longer than a snippet
		best = matches[0].Start
	}
	start = boundary(text, max(best-lead, 0), -1)
	return start, boundary(text, min(start+snippetBytes, len(text)), 1)
}

// boundary returns the nearest space in a direction. If none is near, it returns the given place.
func boundary(text string, at, step int) int {
	const near = 24
	for n, i := 0, at; n <= near; n, i = n+1, i+step {
		if i <= 0 {
			return 0
		}
		if i >= len(text) {
			return len(text)
		}
		if text[i] == ' ' || text[i] == '\n' || text[i] == '\t' {
			return i
		}
	}
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}
