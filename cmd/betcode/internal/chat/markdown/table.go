package markdown

import (
	"strings"

	xansi "github.com/charmbracelet/x/ansi"
	east "github.com/yuin/goldmark/extension/ast"
)

// leastColumn is the width below which no column of a table shrinks.
const leastColumn = 4

// table returns a table whose cells wrap. One that has no room for its columns is shown cell by cell.
func (r *renderer) table(t *east.Table, width int) (rows []string) {
	var lines [][][]span
	columns := 0
	for row := t.FirstChild(); row != nil; row = row.NextSibling() {
		style := ""
		if _, head := row.(*east.TableHeader); head {
			style = "1"
		}
		var cells [][]span
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, r.inlines(cell, style))
		}
		lines = append(lines, cells)
		columns = max(columns, len(cells))
	}
	widths := columnWidths(lines, columns, width-3*(columns-1))
	if widths == nil {
		for _, cells := range lines {
			for _, cell := range cells {
				rows = append(rows, r.flow(cell, width)...)
			}
		}
		return rows
	}
	for i, cells := range lines {
		rows = append(rows, r.tableRow(cells, widths, t.Alignments)...)
		if i == 0 {
			var rule []string
			for _, w := range widths {
				rule = append(rule, strings.Repeat("─", w))
			}
			rows = append(rows, r.paint("2", strings.Join(rule, "─┼─")))
		}
	}
	return rows
}

// columnWidths returns the widths of columns that have so much room together; nil if it is not enough. The widest shrink first.
func columnWidths(lines [][][]span, columns, room int) []int {
	if columns == 0 || room < columns*leastColumn {
		return nil
	}
	widths := make([]int, columns)
	total := 0
	for _, cells := range lines {
		for i, cell := range cells {
			for line := range strings.SplitSeq(joined(cell), "\n") {
				widths[i] = max(widths[i], min(xansi.StringWidth(line), room), 1)
			}
		}
	}
	for _, w := range widths {
		total += w
	}
	for ; total > room; total-- {
		widest := 0
		for i, w := range widths {
			if w > widths[widest] {
				widest = i
			}
		}
		widths[widest]--
	}
	return widths
}

// tableRow returns the rows of one line of a table.
func (r *renderer) tableRow(cells [][]span, widths []int, alignments []east.Alignment) (rows []string) {
	columns := make([][]string, len(widths))
	height := 1
	for i := range widths {
		if i < len(cells) {
			columns[i] = r.flow(cells[i], widths[i])
			height = max(height, len(columns[i]))
		}
	}
	for y := range height {
		var parts []string
		for i, width := range widths {
			text := ""
			if y < len(columns[i]) {
				text = columns[i][y]
			}
			blank := max(width-xansi.StringWidth(text), 0)
			left := 0
			if i < len(alignments) {
				left = map[east.Alignment]int{east.AlignRight: blank, east.AlignCenter: blank / 2}[alignments[i]]
			}
			parts = append(parts, strings.Repeat(" ", left)+text+strings.Repeat(" ", blank-left))
		}
		rows = append(rows, strings.TrimRight(strings.Join(parts, r.paint("2", " │ ")), " "))
	}
	return rows
}
