package markdown

import (
	"fmt"
	"strings"

	xansi "github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"betcode/cmd/betcode/internal/chat/highlight"
)

// narrow is the width below which quotes and lists indent no further.
const narrow = 6

// block returns the rows of a block.
func (r *renderer) block(n ast.Node, width int) []string {
	switch n := n.(type) {
	case *ast.Heading:
		spans := r.inlines(n, "1;34")
		return r.flow(append([]span{{strings.Repeat("#", n.Level) + " ", "1;34"}}, spans...), width)
	case *ast.Paragraph, *ast.TextBlock:
		return r.flow(r.inlines(n, ""), width)
	case *ast.Blockquote:
		return r.beside(r.paint("2", "│ "), r.paint("2", "│ "), 2, width, func(inner int) []string { return r.blocks(n, inner) })
	case *ast.List:
		return r.list(n, width)
	case *ast.FencedCodeBlock:
		return r.code(string(n.Language(r.source)), n, width)
	case *ast.CodeBlock:
		return r.code("", n, width)
	case *ast.ThematicBreak:
		return []string{r.paint("2", strings.Repeat("─", min(width, 40)))}
	case *east.Table:
		return r.table(n, width)
	}
	if n.Type() == ast.TypeBlock && n.FirstChild() != nil && n.FirstChild().Type() == ast.TypeBlock {
		return r.blocks(n, width)
	}
	return r.flow(r.inlines(n, ""), width)
}

// beside returns rows with a mark before the first and another one before the others.
func (r *renderer) beside(first, others string, columns, width int, content func(inner int) []string) []string {
	if width-columns < narrow {
		return content(width)
	}
	rows := content(width - columns)
	if len(rows) == 0 {
		rows = []string{""}
	}
	for i := range rows {
		mark := others
		if i == 0 {
			mark = first
		}
		rows[i] = strings.TrimRight(mark+rows[i], " ")
	}
	return rows
}

func (r *renderer) list(l *ast.List, width int) (rows []string) {
	number := l.Start
	for item := l.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "• "
		if l.IsOrdered() {
			mark = fmt.Sprintf("%d. ", number)
			number++
		}
		columns := xansi.StringWidth(mark)
		if len(rows) > 0 && !l.IsTight {
			rows = append(rows, "")
		}
		rows = append(rows, r.beside(r.paint("2", mark), strings.Repeat(" ", columns), columns, width, func(inner int) []string {
			return r.blocks(item, inner)
		})...)
	}
	return rows
}

// kinds are the attributes of tokens of source code.
var kinds = map[highlight.Kind]string{
	highlight.Keyword: "35", highlight.Text: "32", highlight.Number: "36", highlight.Comment: "2", highlight.Name: "34",
	highlight.Added: "32", highlight.Removed: "31", highlight.Section: "36",
}

// code returns a block of code, indented. Its lines are cut at the width and not between words.
func (r *renderer) code(language string, n ast.Node, width int) []string {
	var code strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		code.Write(line.Value(r.source))
	}
	source := strings.ReplaceAll(strings.TrimRight(code.String(), "\n"), "\t", "    ")
	tokens := []highlight.Token{{Text: source}}
	if r.colour {
		tokens = highlight.Tokens(language, source)
	}
	indent := "  "
	if width < narrow {
		indent = ""
	}
	cut := cutter{renderer: r, indent: indent, width: max(width-len(indent), 1)}
	for _, t := range tokens {
		cut.add(t.Text, kinds[t.Kind])
	}
	return append(cut.rows, strings.TrimRight(cut.indent+cut.row.String(), " "))
}

// cutter breaks text at a number of columns.
type cutter struct {
	renderer *renderer
	indent   string
	width    int
	rows     []string
	row      strings.Builder
	used     int // columns of row
}

func (c *cutter) add(text, style string) {
	for {
		line, rest, more := strings.Cut(text, "\n")
		for line != "" {
			head := first(line, c.width-c.used)
			if head == "" && c.used > 0 {
				c.end()
				continue
			}
			if head == "" {
				head = cluster(line)
			}
			c.row.WriteString(c.renderer.paint(style, head))
			c.used += xansi.StringWidth(head)
			line = line[len(head):]
		}
		if !more {
			return
		}
		c.end()
		text = rest
	}
}

// end finishes a row.
func (c *cutter) end() {
	c.rows = append(c.rows, strings.TrimRight(c.indent+c.row.String(), " "))
	c.row.Reset()
	c.used = 0
}
