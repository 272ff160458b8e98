package transcript

import (
	"strings"

	"betcode/cmd/betcode/internal/chat/markdown"
)

// Bounds of the text that is rendered again with each delta.
const (
	longTail  = 8 << 10 // a text without a blank line is split above it
	longFence = 4 << 10 // a block of code is split above it
)

// prose is a text that grows.
type prose struct {
	chunks []chunk
	tail   string // behind the last chunk
	last   chunk  // the tail as it was rendered last
}

// chunk is a part of a text that does not change any more.
type chunk struct {
	source string
	lines  []string // at width
	width  int
}

// add appends a piece and splits off finished chunks.
func (p *prose) add(piece string) {
	p.tail += piece
	if !strings.Contains(piece, "\n") && len(p.tail) < longTail {
		return
	}
	for {
		head, tail, ok := split(p.tail)
		if !ok {
			return
		}
		p.chunks, p.tail = append(p.chunks, chunk{source: head}), tail
	}
}

// finish ends the text.
func (p *prose) finish() {
	if strings.TrimSpace(p.tail) != "" {
		p.chunks = append(p.chunks, chunk{source: p.tail})
	}
	p.tail = ""
}

// split divides a text at its first blank line outside of a block of code and of a list. Text that has become too long is divided at the end
// of a line, and a block of code is closed and opened again there.
func split(text string) (head, tail string, ok bool) {
	fence := ""
	at := 0
	for at < len(text) {
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 {
			break
		}
		line := text[at : at+end]
		next := at + end + 1
		mark := fenceOf(line)
		switch {
		case fence == "" && mark != "":
			if strings.TrimSpace(text[:at]) != "" { // the text before the code
				return text[:at], text[at:], true
			}
			fence = line
		case fence != "" && mark != "" && strings.HasPrefix(mark, fenceOf(fence)) && strings.TrimLeft(strings.TrimSpace(line), mark[:1]) == "":
			return text[:next], text[next:], true
		case fence != "" && next > longFence:
			return text[:next] + fenceOf(fence) + "\n", fence + "\n" + text[next:], true
		case fence == "" && strings.TrimSpace(line) == "" && strings.TrimSpace(text[:at]) != "" && next < len(text) && !continues(text[next:]):
			return text[:next], text[next:], true
		case fence == "" && next > longTail:
			return text[:next], text[next:], true
		}
		at = next
	}
	if len(text)-at > longTail { // a line without an end
		return text[:at+longTail], text[at+longTail:], true
	}
	return "", text, false
}

// fenceOf returns the mark that begins a line of a fence; empty if it begins none.
func fenceOf(line string) string {
	trimmed := strings.TrimLeft(line, " ")
	if len(line)-len(trimmed) > 3 {
		return ""
	}
	for _, mark := range []string{"```", "~~~"} {
		if strings.HasPrefix(trimmed, mark) {
			return trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, mark[:1]))]
		}
	}
	return ""
}

// continues reports whether a text belongs to a list before a blank line.
func continues(text string) bool {
	return strings.HasPrefix(text, " ") || strings.HasPrefix(text, "\t") || strings.HasPrefix(text, "- ") ||
		strings.HasPrefix(text, "* ") || len(text) > 2 && text[0] >= '0' && text[0] <= '9' && (text[1] == '.' || text[2] == '.')
}

// rows returns all rows at a width. Only chunks that are new, or were rendered at another width, are rendered.
func (p *prose) rows(colour bool, width int) []string {
	var out []string
	for i := range p.chunks {
		out = append(join(out), p.chunks[i].rows(colour, width)...)
	}
	return append(out, p.tailRows(colour, width, len(out) > 0)...)
}

// tailRows returns the rows behind the last chunk. They are rendered again only after a change.
func (p *prose) tailRows(colour bool, width int, follows bool) []string {
	if strings.TrimSpace(p.tail) == "" {
		return nil
	}
	if p.last.source != p.tail {
		p.last = chunk{source: p.tail}
	}
	if rows := p.last.rows(colour, width); !follows {
		return rows
	}
	return append([]string{""}, p.last.rows(colour, width)...)
}

// join puts a blank row behind rows that others follow.
func join(rows []string) []string {
	if len(rows) > 0 {
		rows = append(rows, "")
	}
	return rows
}

func (c *chunk) rows(colour bool, width int) []string {
	if c.width != width || c.lines == nil {
		c.lines, c.width = markdown.Render(colour, c.source, width), width
	}
	return c.lines
}
