package markdown

import (
	"html"
	"regexp"
	"strings"
	"unicode/utf8"

	xansi "github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"
	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"betcode/messages/visible"
)

// span is a text with the attributes of a terminal, for example "1;34"; a line end in it stays one.
type span struct{ text, style string }

// inlines returns the text of a node's children.
func (r *renderer) inlines(parent ast.Node, style string) (spans []span) {
	add := func(text, style string) { spans = append(spans, span{text, style}) }
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			value := string(n.Segment.Value(r.source))
			if !n.IsRaw() {
				value = plain(value)
			}
			if n.SoftLineBreak() || n.HardLineBreak() {
				value = strings.TrimRight(value, " ") + "\n"
			}
			add(value, style)
		case *ast.String:
			add(string(n.Value), style)
		case *ast.CodeSpan:
			code := strings.ReplaceAll(r.raw(n), "\n", " ")
			if !r.colour {
				code = "`" + code + "`"
			}
			add(code, with(style, "36"))
		case *ast.Emphasis:
			spans = append(spans, r.inlines(n, with(style, []string{"3", "1"}[min(n.Level-1, 1)]))...)
		case *east.Strikethrough:
			spans = append(spans, r.inlines(n, with(style, "9"))...)
		case *east.TaskCheckBox:
			add(map[bool]string{true: "[x] ", false: "[ ] "}[n.IsChecked], style)
		case *ast.AutoLink:
			add(string(n.Label(r.source)), with(style, "4"))
		case *ast.Link:
			label := r.inlines(n, with(style, "4"))
			spans = append(spans, label...)
			if target := plain(string(n.Destination)); target != joined(label) {
				add(" ("+target+")", with(style, "2"))
			}
		case *ast.Image:
			add("image: ", with(style, "2"))
			spans = append(spans, r.inlines(n, style)...)
			add(" ("+plain(string(n.Destination))+")", with(style, "2"))
		default:
			spans = append(spans, r.inlines(n, style)...)
		}
	}
	return spans
}

// raw returns the text of a node's children as it is written.
func (r *renderer) raw(parent ast.Node) string {
	var b strings.Builder
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if t, ok := n.(*ast.Text); ok {
			b.Write(t.Segment.Value(r.source))
		}
	}
	return b.String()
}

func joined(spans []span) string {
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(s.text)
	}
	return b.String()
}

// with adds an attribute.
func with(style, attribute string) string {
	if style == "" {
		return attribute
	}
	return style + ";" + attribute
}

// paint gives text attributes.
func (r *renderer) paint(style, text string) string {
	if !r.colour || style == "" || text == "" {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

// escape is a backslash before punctuation, or a character reference of HTML.
var escape = regexp.MustCompile("\\\\[!-/:-@\\[-`{-~]|&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{0,31});")

// plain replaces escapes of Markdown by their characters, except invisible and control characters.
func plain(text string) string {
	if !strings.ContainsAny(text, `\&`) {
		return text
	}
	return escape.ReplaceAllStringFunc(text, func(e string) string {
		if e[0] == '\\' {
			return e[1:]
		}
		if value := html.UnescapeString(e); !strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || visible.Hidden(r) }) {
			return value
		}
		return e
	})
}

// first returns the beginning of a text that has at most so many columns. It reads no further than that.
func first(text string, columns int) string {
	n := 0
	for n < len(text) && columns > 0 {
		c, width := cluster(text[n:]), 1
		if len(c) > 1 {
			width = xansi.StringWidth(c)
		}
		if columns -= width; columns < 0 {
			break
		}
		n += len(c)
	}
	return text[:n]
}

// cluster returns the first character of a text with everything that is drawn on it.
func cluster(text string) string {
	if len(text) > 1 && text[0] < utf8.RuneSelf && text[1] < utf8.RuneSelf {
		return text[:1]
	}
	c, _, _, _ := uniseg.FirstGraphemeClusterInString(text, -1)
	return c
}

// flow breaks text between words, and words that are too long.
func (r *renderer) flow(spans []span, width int) []string {
	f := flow{cutter: cutter{renderer: r, width: width}}
	for _, s := range spans {
		for text := s.text; text != ""; {
			n := strings.IndexAny(text, " \t\n")
			switch {
			case n == 0:
				f.blank(text[0] == '\n', s.style)
				text = text[1:]
				continue
			case n < 0:
				n = len(text)
			}
			f.word = append(f.word, span{text[:n], s.style})
			text = text[n:]
		}
	}
	f.place()
	if f.used > 0 || len(f.rows) == 0 {
		f.end()
	}
	return f.rows
}

// flow is a text that is broken into rows.
type flow struct {
	cutter
	word  []span // not placed yet; a word may have several attributes
	gap   int    // blanks before it
	style string // of the blanks
}

// blank ends a word.
func (f *flow) blank(line bool, style string) {
	f.place()
	if line {
		f.gap = 0
		f.end()
		return
	}
	f.gap, f.style = f.gap+1, style
}

// place puts the word on the row, or on the next one if there is no room.
func (f *flow) place() {
	if len(f.word) == 0 {
		return
	}
	width := 0
	for _, s := range f.word {
		width += xansi.StringWidth(s.text)
	}
	switch {
	case f.used > 0 && f.used+f.gap+width > f.width:
		f.end()
	case f.used > 0:
		f.add(strings.Repeat(" ", f.gap), underlined(f.style))
	}
	for _, s := range f.word {
		f.add(s.text, s.style)
	}
	f.word, f.gap = nil, 0
}

// underlined keeps the attributes of a blank that are seen.
func underlined(style string) string {
	if strings.HasSuffix(style, "4") || strings.HasSuffix(style, "9") {
		return style
	}
	return ""
}
