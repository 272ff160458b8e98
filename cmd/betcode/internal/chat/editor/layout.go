package editor

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"betcode/messages/visible"
)

// row is a range of the text that is shown on one row.
type row struct{ from, to int }

// shown returns how an element of the text is shown.
func (e *Editor) shown(from, to int) string {
	var b strings.Builder
	for _, r := range e.text[from:to] {
		switch {
		case r < 0:
			b.WriteString(foldName(e.folds[-1-r]))
		case r == '\t':
			b.WriteString("    ")
		case r == '\n':
		default:
			b.WriteRune(r)
		}
	}
	return visible.Line(b.String())
}

// columns returns the width of a range.
func (e *Editor) columns(from, to int) int {
	if plain(e.text[from:to]) {
		return to - from
	}
	return ansi.StringWidth(e.shown(from, to))
}

// plain reports whether each rune has one column.
func plain(text []rune) bool {
	for _, r := range text {
		if r < ' ' || r > '~' {
			return false
		}
	}
	return true
}

// rows breaks the text into rows, between words where it can.
func (e *Editor) rows() []row {
	width := max(e.width, 2)
	var rows []row
	start, column, blank := 0, 0, -1
	for i := 0; i < len(e.text); {
		next := e.after(i)
		if e.text[i] == '\n' {
			rows = append(rows, row{start, i})
			start, column, blank, i = next, 0, -1, next
			continue
		}
		w := e.columns(i, next)
		if column+w > width-1 && i > start { // one column stays free for the cursor
			end := i
			if blank > start {
				end = blank
			}
			rows = append(rows, row{start, end})
			start, blank = end, -1
			column = e.columns(start, i)
		}
		column += w
		if e.text[i] == ' ' || e.text[i] == '\t' {
			blank = next
		}
		i = next
	}
	return append(rows, row{start, len(e.text)})
}

// rowOf returns the index of the row of a position. A position between two rows of one line belongs to the later one.
func (e *Editor) rowOf(rows []row, at int) int {
	for i := len(rows) - 1; i > 0; i-- {
		if at >= rows[i].from {
			return i
		}
	}
	return 0
}

// View returns at most so many rows around the cursor, and the place of the cursor in them.
func (e *Editor) View(width, most int) (rows []string, cursorRow, cursorColumn int) {
	e.SetWidth(width)
	all := e.rows()
	at := e.rowOf(all, e.cursor)
	first := max(min(at-most/2, len(all)-most), 0)
	last := min(first+most, len(all))
	for _, r := range all[first:last] {
		rows = append(rows, e.shown(r.from, r.to))
	}
	return rows, at - first, min(e.columns(all[at].from, e.cursor), max(width-1, 0))
}
