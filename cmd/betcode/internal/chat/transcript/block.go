package transcript

import (
	"fmt"
	"strings"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/render"
	pb "betcode/proto/betcode/v1"
)

// kind is the kind of a block.
type kind uint8

const (
	note     kind = iota // a line of the daemon or of this program, with its colours
	message              // of a user
	prosaic              // text of the agent
	toolCall             // and its result, in the same block if it is not printed
)

// block is one part of a conversation, such as a text or a call.
type block struct {
	kind     kind
	id       string // of the text or the call
	depth    int    // below how many calls
	sequence uint64 // of its first event; 0 for a line of this program
	ended    uint64 // of the result of a call; 0: none yet
	text     string // of a note or a message
	prose    prose
	thinking bool
	call     *pb.ToolCallStart
	result   *pb.ToolCallResult
	closed   bool // it does not change any more
	gone     bool // it was taken back
	edited   bool // a person changed the input of the call before it ran
	printed  int  // chunks that Take has returned
	open     bool // the whole output is shown

	lines []string // at width
	width int
}

// forget drops rendered rows.
func (b *block) forget() {
	b.lines, b.width = nil, 0
	for i := range b.prose.chunks {
		if b.kind != prosaic {
			b.prose.chunks[i].lines = nil
		}
	}
}

func (b *block) close() {
	if b.kind == prosaic && !b.closed {
		b.prose.finish()
		b.forget()
	}
	b.closed = true
}

func (t *Transcript) call(c *pb.ToolCallStart, parent string) {
	if c.GetWithdrawn() {
		if b := t.find(c.GetToolId(), toolCall); b != nil {
			b.gone, b.closed = true, true
			b.forget()
			return
		}
		t.note(t.options.Style.Dim("(the agent took back its call of "+console.Line(c.GetToolName())+")"), parent)
		return
	}
	t.calls[c.GetToolId()] = c.GetToolName()
	t.append(&block{kind: toolCall, id: c.GetToolId(), call: c, closed: true}, parent)
}

// result adds a result to its call. If the call was printed the result is a block of its own.
func (t *Transcript) result(r *pb.ToolCallResult, parent string) {
	name := t.calls[r.GetToolId()]
	delete(t.calls, r.GetToolId())
	if b := t.find(r.GetToolId(), toolCall); b != nil {
		b.result, b.ended = r, t.sequence
		b.forget()
		return
	}
	t.append(&block{kind: toolCall, id: r.GetToolId(), text: name, result: r, closed: true}, parent)
}

// Rows of a tool's output and of a diff that are shown unless the block is open.
const (
	foldedOutput = 6
	foldedDiff   = 24
	openOutput   = 2000
)

// rows returns the rows of a block at a width.
func (t *Transcript) rows(b *block, width int) []string {
	if b.lines != nil && b.width == width {
		return b.lines
	}
	indent := strings.Repeat("  ", min(b.depth, 8))
	inner := max(width-len(indent), 10)
	s := t.options.Style
	var out []string
	switch b.kind {
	case note:
		out = wrap(b.text, inner)
	case message:
		for i, line := range wrap(console.Block(b.text), inner-2) {
			out = append(out, s.Bold(s.Accent([]string{"> ", "  "}[min(i, 1)]+line)))
		}
		out = limit(s, out, 60, b.open)
	case prosaic:
		out = b.prose.rows(bool(t.options.Style), inner)
		if b.thinking {
			for i := range out {
				out[i] = s.Dim(out[i])
			}
		}
	case toolCall:
		out = t.toolRows(b, inner)
	}
	if indent != "" {
		for i := range out {
			out[i] = indent + out[i]
		}
	}
	if b == t.hit && b.kind != toolCall && len(out) > 0 {
		out = append([]string{s.Yellow("› found here")}, out...)
	}
	b.lines, b.width = out, width
	if out == nil {
		b.lines = []string{}
	}
	return b.lines
}

func (t *Transcript) toolRows(b *block, width int) []string {
	s := t.options.Style
	var out []string
	if c := b.call; c != nil {
		mark := s.Green("●")
		switch {
		case b.gone:
			return wrap(s.Dim("(the agent took back its call of "+console.Line(c.GetToolName())+")"), width)
		case b.result == nil:
			mark = s.Yellow("○")
		case b.result.GetIsError():
			mark = s.Red("●")
		}
		if !t.options.Nested { // it is printed before its result is known
			mark = s.Green("●")
		}
		if b == t.chosen || b == t.hit {
			mark = s.Bold("›")
		}
		title := mark + " " + s.Bold(console.Line(c.GetToolName()))
		if c.GetToolName() != "ExitPlanMode" { // its plan is shown as a document
			title += "  " + console.ToolCall(c.GetToolName(), c.GetInput(), c.GetDescription(), 400)
		}
		if b.edited {
			title += " " + s.Yellow("· edited before it ran")
		}
		out = append(out, wrap(title, width)...)
		most := foldedDiff
		if b.open {
			most = openOutput
		}
		for _, line := range Diff(s, c.GetToolName(), c.GetInput(), most) {
			out = append(out, wrap("    "+line, width)...)
		}
	}
	if r := b.result; r != nil {
		if b.call == nil && b.text != "" && t.lastCall != b.id {
			out = append(out, s.Dim("  result of "+console.Line(b.text)+":"))
		}
		marked := -1
		if b == t.hit {
			marked = t.hitLine
		}
		rows, at := t.outputRows(r, width, b.open, marked)
		if b == t.hit {
			t.hitRow = 0
			if at >= 0 {
				t.hitRow = len(out) + at
			}
		}
		out = append(out, rows...)
	}
	return out
}

// outputRows returns the rows of a tool's output, and the first row of the marked line, which is negative if it is not among them.
func (t *Transcript) outputRows(r *pb.ToolCallResult, width int, open bool, marked int) (rows []string, at int) {
	s := t.options.Style
	output := r.GetOutput()
	if !open && !t.options.Verbose {
		output = render.Readable(output)
	}
	text := strings.TrimRight(console.Block(output), "\n")
	if strings.TrimSpace(text) == "" {
		return nil, -1
	}
	colour := s.Dim
	if r.GetIsError() {
		colour = s.Red
	}
	lines := strings.Split(text, "\n")
	lines = limit(s, lines, foldedOutput, open)
	at, marked = -1, min(marked, len(lines)-1) // the last one has the number of omitted lines
	for i, line := range lines {
		if !open {
			line = console.Shorten(line, 3*max(width-4, 10))
		}
		indent := "    "
		if i == marked {
			at, indent = len(rows), s.Yellow("  › ")
		}
		for _, row := range wrap(line, width-4) {
			rows = append(rows, indent+colour(row))
			indent = "    "
		}
	}
	return rows, at
}

// limit folds rows above a number.
func limit(s console.Style, rows []string, most int, open bool) []string {
	if open {
		most = openOutput
	}
	if rest := len(rows) - most; rest > 0 {
		return append(rows[:most:most], s.Dim(fmt.Sprintf("… %d more lines", rest)))
	}
	return rows
}
