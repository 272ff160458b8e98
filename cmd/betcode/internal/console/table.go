package console

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Table writes rows: aligned and with a header for a person, separated by tabs for a program.
type Table struct {
	person bool
	style  Style
	header []string
	rows   [][]string
}

// Table returns an empty table for standard output.
func (c *Console) Table(header ...string) *Table { return c.Terminal.Table(header...) }

// Table returns an empty table in the form that standard output wants.
func (t Terminal) Table(header ...string) *Table {
	return &Table{person: t.Out, style: Style(t.Colour), header: header}
}

// Add adds a row. The cells may be untrusted text.
func (t *Table) Add(cells ...string) {
	for i := range cells {
		cells[i] = Line(cells[i])
	}
	t.rows = append(t.rows, cells)
}

// Write writes the rows, and for a person the header.
func (t *Table) Write(w io.Writer) error {
	if !t.person {
		for _, row := range t.rows {
			fmt.Fprintln(w, strings.Join(row, "\t"))
		}
		return nil
	}
	var aligned bytes.Buffer
	tw := tabwriter.NewWriter(&aligned, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, strings.Join(t.header, "\t"))
	for _, row := range t.rows {
		fmt.Fprintln(tw, strings.Join(row, "\t"))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	for i, line := range strings.Split(strings.TrimRight(aligned.String(), "\n"), "\n") {
		line = strings.TrimRight(line, " ")
		if i == 0 {
			line = t.style.Bold(line)
		}
		fmt.Fprintln(w, line)
	}
	return nil
}
