package transcript

import (
	"bytes"
	"html"
	"regexp"
	"strings"

	"charm.land/glamour/v2/ansi"
	"charm.land/glamour/v2/styles"
	xansi "github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"betcode/cmd/betcode/internal/console"
	"betcode/messages/visible"
)

// Markdown renders Markdown for a terminal.
type Markdown struct {
	Colour bool // use colours
	Light  bool // the background is light

	width  int
	engine goldmark.Markdown
}

// Render returns the rows of a text at a width.
func (m *Markdown) Render(text string, width int) []string {
	if m.engine == nil || m.width != width {
		m.width, m.engine = width, m.newEngine(width)
	}
	var out bytes.Buffer
	source := withoutHiddenEntities(console.Text(text))
	if err := m.engine.Convert([]byte(source), &out); err != nil {
		return wrap(source, width) // shown as it is
	}
	return rows(clean(out.String()), width)
}

// newEngine returns a parser without HTML, so that <T> in a text is text, and a renderer.
func (m *Markdown) newEngine(width int) goldmark.Markdown {
	blocks := keep(parser.DefaultBlockParsers(), parser.NewHTMLBlockParser())
	inlines := keep(parser.DefaultInlineParsers(), parser.NewRawHTMLParser())
	return goldmark.New(
		goldmark.WithParser(parser.NewParser(
			parser.WithBlockParsers(blocks...), parser.WithInlineParsers(inlines...),
			parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
		)),
		goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList),
		goldmark.WithRenderer(renderer.NewRenderer(renderer.WithNodeRenderers(
			util.Prioritized(ansi.NewRenderer(ansi.Options{WordWrap: width, Styles: m.style(), PreserveNewLines: true}), 1000),
		))),
	)
}

// keep returns parsers without one.
func keep(all []util.PrioritizedValue, without any) []util.PrioritizedValue {
	var kept []util.PrioritizedValue
	for _, p := range all {
		if p.Value != without {
			kept = append(kept, p)
		}
	}
	return kept
}

// style returns colours that suit the background. Text has the terminal's own colour.
func (m *Markdown) style() ansi.StyleConfig {
	s := styles.DarkStyleConfig
	switch {
	case !m.Colour:
		s = styles.NoTTYStyleConfig
	case m.Light:
		s = styles.LightStyleConfig
	}
	none := uint(0)
	s.Document = ansi.StyleBlock{Margin: &none}
	s.CodeBlock.Margin = &none
	indent := uint(2)
	s.CodeBlock.Indent = &indent
	s.H1 = ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Prefix: "# "}}
	s.Code.Prefix, s.Code.Suffix = "", ""
	if !m.Colour {
		s.Code.Prefix, s.Code.Suffix = "`", "`"
	}
	return s
}

// entity is a character reference of HTML, which Markdown replaces.
var entity = regexp.MustCompile(`&(#[0-9]{1,9}|#[xX][0-9a-fA-F]{1,8}|[A-Za-z][A-Za-z0-9]*);?`)

// withoutHiddenEntities marks references to characters that a person does not see or a terminal obeys, so that they stay
// references.
func withoutHiddenEntities(text string) string {
	if !strings.Contains(text, "&") {
		return text
	}
	return entity.ReplaceAllStringFunc(text, func(reference string) string {
		if strings.ContainsFunc(html.UnescapeString(reference), visible.Hidden) {
			return "& " + reference[1:]
		}
		return reference
	})
}

// clean removes every escape sequence but colours and attributes, and shows other control characters.
func clean(text string) string {
	var out strings.Builder
	var state byte
	for len(text) > 0 {
		sequence, width, n, next := xansi.DecodeSequence(text, state, nil)
		switch {
		case n <= 0:
			return out.String()
		case width > 0 || sequence == "\n" || attributes.MatchString(sequence):
			out.WriteString(sequence)
		case strings.HasPrefix(sequence, "\x1b"):
		default:
			out.WriteString(visible.Text(sequence))
		}
		text, state = text[n:], next
	}
	return out.String()
}

var attributes = regexp.MustCompile(`^\x1b\[[0-9;:]*m$`)

// rows splits rendered text into rows that are not wider than width, without blank rows at its ends.
func rows(text string, width int) []string {
	var out []string
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		line = strings.TrimRight(line, " ")
		if width > 0 && xansi.StringWidth(line) > width {
			out = append(out, strings.Split(xansi.Hardwrap(line, width, true), "\n")...)
			continue
		}
		out = append(out, line)
	}
	for len(out) > 0 && blankRow(out[0]) {
		out = out[1:]
	}
	for len(out) > 0 && blankRow(out[len(out)-1]) {
		out = out[:len(out)-1]
	}
	return out
}

func blankRow(row string) bool { return strings.TrimSpace(xansi.Strip(row)) == "" }

// wrap breaks text, which may have colours, between words.
func wrap(text string, width int) []string {
	if width <= 0 {
		return strings.Split(text, "\n")
	}
	return strings.Split(xansi.Wrap(text, width, " "), "\n")
}
