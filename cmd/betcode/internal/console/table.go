package console

import (
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/mattn/go-runewidth"
)

// Column is a column of a [Table].
type Column struct {
	Title string
	Wide  bool // shown for programs and in the wide form only
	Whole bool // never shortened: an id, a state, a number
	Path  bool // a path: shortened before other columns, at its beginning, because its end is more informative
	Text  bool // sentences: shortened after paths and before other columns
}

// Columns returns columns that are always shown, each with the properties that its title has in every list.
func Columns(titles ...string) []Column {
	columns := make([]Column, len(titles))
	for i, title := range titles {
		columns[i] = Column{Title: title, Whole: wholeTitles[title], Path: title == "PATH" || title == "DIRECTORY", Text: textTitles[title]}
	}
	return columns
}

// wholeTitles are those of ids, states, numbers, sizes and times, which say nothing or something else when they are shortened.
var wholeTitles = map[string]bool{
	"ID": true, "SESSION": true, "SUBAGENT": true, "PARENT": true, "COMMIT": true,
	"STATE": true, "KIND": true,
	"WORKTREES": true, "SESSIONS": true, "CALLS": true, "APPROVED": true, "ATTEMPT": true, "CORES": true,
	"COST": true, "SIZE": true, "MEMORY": true, "DISK FREE": true,
	"CREATED": true, "CHANGED": true, "LAST USED": true, "EXPIRES": true,
}

// textTitles are those of sentences.
var textTitles = map[string]bool{"WHAT": true, "RESULT": true, "SUBJECT": true}

// Layout is the form of a [Table].
type Layout struct {
	Aligned bool  // for a person: aligned columns; otherwise one line per row with tabs between whole values
	Header  bool  // a line with the titles
	Wide    bool  // all columns, nothing shortened
	Width   int   // cells are shortened until a line has no more columns of the screen; 0 is no limit
	Style   Style // of the header
}

// Table writes rows: aligned and with a header for a person, separated by tabs for a program.
type Table struct {
	layout  Layout
	columns []Column
	rows    [][]string
	titled  bool  // the header is written
	widest  []int // of the cells that are written, before they were shortened
}

// Table returns an empty table for standard output.
func (c *Console) Table(header ...string) *Table { return c.Terminal.Table(header...) }

// Table returns an empty table in the form that standard output wants.
func (t Terminal) Table(header ...string) *Table {
	return NewTable(Layout{Aligned: t.Out, Header: t.Out, Width: t.Width, Style: Style(t.Colour)}, Columns(header...))
}

// NewTable returns an empty table.
func NewTable(layout Layout, columns []Column) *Table {
	return &Table{layout: layout, columns: columns}
}

// Add adds a row. The cells may be untrusted text.
func (t *Table) Add(cells ...string) {
	for i := range cells {
		cells[i] = Line(cells[i])
	}
	t.rows = append(t.rows, cells)
}

// AddAll adds n rows. Processors share many, so row is called from several goroutines at once, once for each row.
func (t *Table) AddAll(n int, row func(i int) []string) {
	const worth = 256 // rows that are worth a goroutine
	workers := max(1, min(runtime.GOMAXPROCS(0), n/worth))
	first := len(t.rows)
	t.rows = slices.Grow(t.rows, n)[:first+n]
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for i := w * n / workers; i < (w+1)*n/workers; i++ {
				cells := row(i)
				for c := range cells {
					cells[c] = Line(cells[c])
				}
				t.rows[first+i] = cells
			}
		})
	}
	all.Wait()
}

// Write writes the header, if the layout has one, and the rows. More rows can follow: the header is written once, and columns
// do not become narrower.
func (t *Table) Write(w io.Writer) error {
	lines := make([][]string, 0, len(t.rows)+1)
	header := t.layout.Header && !t.titled
	t.titled = true
	if header {
		titles := make([]string, len(t.columns))
		for i, c := range t.columns {
			titles[i] = c.Title
		}
		lines = append(lines, t.shown(titles))
	}
	for _, row := range t.rows {
		lines = append(lines, t.shown(row))
	}
	t.rows = t.rows[:0]
	var out strings.Builder
	size := 0
	for _, cells := range lines {
		for _, cell := range cells {
			size += len(cell) + gap
		}
	}
	out.Grow(size)
	if !t.layout.Aligned {
		for _, cells := range lines {
			for i, cell := range cells {
				if i > 0 {
					out.WriteByte('\t')
				}
				out.WriteString(cell)
			}
			out.WriteByte('\n')
		}
		_, err := io.WriteString(w, out.String())
		return err
	}
	widths := t.widths(lines)
	columns := t.visible(len(widths))
	for n, cells := range lines {
		line := aligned(cells, widths, columns)
		if n == 0 && header { // titles are words, above paths too
			line = t.layout.Style.Bold(aligned(cells, widths, make([]Column, len(widths))))
		}
		out.WriteString(line)
		out.WriteByte('\n')
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// hides reports whether the layout leaves a column out.
func (t *Table) hides(i int) bool {
	return t.layout.Aligned && !t.layout.Wide && i < len(t.columns) && t.columns[i].Wide
}

// shown returns the cells of the columns that the layout shows.
func (t *Table) shown(cells []string) []string {
	if !t.layout.Aligned || t.layout.Wide {
		return cells
	}
	kept := make([]string, 0, len(cells))
	for i, cell := range cells {
		if !t.hides(i) {
			kept = append(kept, cell)
		}
	}
	return kept
}

// gap is the space between two columns.
const gap = 2

// Widths below which columns are not shortened: paths and texts while other columns are whole, then any column.
const (
	leastPath  = 12
	leastText  = 16
	leastWidth = 6
)

// widths returns the width of each column. Paths are shortened first, then texts, then every column that may be, until a line
// fits.
func (t *Table) widths(lines [][]string) []int {
	for _, cells := range lines {
		for i, cell := range cells {
			if i == len(t.widest) {
				t.widest = append(t.widest, 0)
			}
			t.widest[i] = max(t.widest[i], width(cell))
		}
	}
	widths := slices.Clone(t.widest)
	if t.layout.Wide || t.layout.Width <= 0 {
		return widths
	}
	columns := t.visible(len(widths))
	shorten(widths, t.layout.Width, leastPath, func(i int) bool { return columns[i].Path })
	shorten(widths, t.layout.Width, leastText, func(i int) bool { return columns[i].Text })
	shorten(widths, t.layout.Width, leastWidth, func(i int) bool { return !columns[i].Whole })
	return widths
}

// visible returns the n columns that the layout shows. Cells behind the last column belong to columns without properties.
func (t *Table) visible(n int) []Column {
	columns := make([]Column, 0, n)
	for i, c := range t.columns {
		if !t.hides(i) {
			columns = append(columns, c)
		}
	}
	return append(columns, make([]Column, max(n-len(columns), 0))...)
}

// shorten makes columns narrower, and none narrower than least, until a line has at most most columns of the screen. The widest
// column that may be shortened loses what is too much, but never more than makes the next one the widest.
func shorten(widths []int, most, least int, may func(i int) bool) {
	for {
		total, widest, next := -gap, -1, least
		for i, width := range widths {
			total += width + gap
			switch {
			case !may(i) || width <= least:
			case widest < 0 || width > widths[widest]:
				if widest >= 0 {
					next = max(next, widths[widest])
				}
				widest = i
			default:
				next = max(next, width)
			}
		}
		excess := total - most
		if excess <= 0 || widest < 0 {
			return
		}
		if next == widths[widest] { // two are equally wide: they lose one by one
			next--
		}
		widths[widest] = max(next, widths[widest]-excess)
	}
}

// aligned returns a line with its cells cut and padded to the widths.
func aligned(cells []string, widths []int, columns []Column) string {
	var line strings.Builder
	for i, cell := range cells {
		cell = cut(cell, widths[i], columns[i].Path)
		line.WriteString(cell)
		if i < len(cells)-1 {
			line.WriteString(strings.Repeat(" ", widths[i]-width(cell)+gap))
		}
	}
	return strings.TrimRight(line.String(), " ")
}

// cut shortens a cell to a number of columns of the screen: a path at its beginning, anything else at its end.
func cut(cell string, most int, path bool) string {
	excess := width(cell) - most
	switch {
	case excess <= 0:
		return cell
	case path:
		return runewidth.TruncateLeft(cell, excess+1, "…")
	}
	return runewidth.Truncate(cell, most, "…")
}

// width returns how many columns of the screen a cell has.
func width(cell string) int {
	for i := range len(cell) {
		if cell[i] < ' ' || cell[i] > '~' {
			return runewidth.StringWidth(cell)
		}
	}
	return len(cell)
}
