package markdown

import (
	"cmp"
	"strings"

	xansi "github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"betcode/cmd/betcode/internal/console"
)

// Render returns the rows of a text at a width; a width below 1 wraps nothing.
func Render(colour bool, source string, width int) []string {
	source = console.Text(source)
	r := renderer{colour: colour, source: []byte(source)}
	rows := r.blocks(reader.Parse(text.NewReader(r.source)), cmp.Or(max(width, 0), 1<<16))
	for len(rows) > 0 && strings.TrimSpace(xansi.Strip(rows[0])) == "" {
		rows = rows[1:]
	}
	return rows
}

// reader reads Markdown with tables, task lists and struck text, without HTML. It may be used by several goroutines.
var reader = parser.NewParser(
	parser.WithBlockParsers(without(parser.DefaultBlockParsers(), parser.NewHTMLBlockParser())...),
	parser.WithInlineParsers(append(without(parser.DefaultInlineParsers(), parser.NewRawHTMLParser()),
		util.Prioritized(extension.NewTaskCheckBoxParser(), 0), util.Prioritized(extension.NewStrikethroughParser(), 500))...),
	parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(),
		util.Prioritized(extension.NewTableParagraphTransformer(), 200))...),
)

// without returns parsers without one.
func without(all []util.PrioritizedValue, unwanted any) (kept []util.PrioritizedValue) {
	for _, p := range all {
		if p.Value != unwanted {
			kept = append(kept, p)
		}
	}
	return kept
}

// renderer turns the tree of one text into rows.
type renderer struct {
	colour bool
	source []byte
}

// blocks returns the rows of a node's children, with blank rows between them.
func (r *renderer) blocks(parent ast.Node, width int) (rows []string) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if n.PreviousSibling() != nil && !tight(parent) {
			rows = append(rows, "")
		}
		rows = append(rows, r.block(n, width)...)
	}
	return rows
}

// tight reports whether no blank row separates the children of a node.
func tight(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.List:
		return n.IsTight
	case *ast.ListItem:
		list, ok := n.Parent().(*ast.List)
		return ok && list.IsTight
	}
	return false
}
