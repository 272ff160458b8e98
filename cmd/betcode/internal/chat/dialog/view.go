package dialog

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"google.golang.org/protobuf/encoding/protojson"

	"betcode/cmd/betcode/internal/chat/markdown"
	"betcode/cmd/betcode/internal/chat/transcript"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/inbox"
	"betcode/cmd/betcode/internal/render"
	"betcode/messages/visible"
	pb "betcode/proto/betcode/v1"
)

// View says how a dialog is drawn.
type View struct {
	Style         console.Style
	Width, Height int
	Focused       bool // keys are for the dialog
	More          int  // requests behind it
	Now           time.Time
}

// Rows returns the dialog. cursorRow is negative unless a text field is open.
func (d *Dialog) Rows(v View) (rows []string, cursorRow, cursorColumn int) {
	s, inner := v.Style, max(v.Width-2, 10)
	head, body, keys := d.content(v, inner)
	var field []string
	cursorRow = -1
	if d.Typing() {
		label := map[mode]string{denying: "tell the agent why not:", editing: "change it, Enter allows it:", writing: "your answer:"}[d.mode]
		field = append(field, s.Bold(label))
		text, r, c := d.words.View(inner-2, max(v.Height/3, 1))
		for _, line := range text {
			field = append(field, "  "+line)
		}
		cursorRow, cursorColumn = 1+r, 2+2+c
		keys = []string{s.Dim("Enter sends it · Alt-Enter new line · Esc back")}
	}
	if d.trouble != "" {
		keys = append(keys, s.Yellow(console.Line(d.trouble)))
	}
	room := max(v.Height-len(head)-len(field)-len(keys), 1)
	if len(body) > room {
		d.scroll = min(d.scroll, len(body)-room+1)
		shown := body[d.scroll:min(d.scroll+room-1, len(body))]
		rest := len(body) - d.scroll - len(shown)
		place := fmt.Sprintf("… rows %d to %d of %d; PgUp PgDn", d.scroll+1, d.scroll+len(shown), d.scroll+len(shown)+rest)
		body = slices.Concat(shown, []string{s.Dim(place)})
	} else {
		d.scroll = 0
	}
	rows = append(append(append(head, body...), field...), keys...)
	if cursorRow >= 0 {
		cursorRow += len(head) + len(body)
	}
	bar := s.Yellow("│ ")
	if !v.Focused {
		bar = s.Dim("│ ")
	}
	for i, row := range rows {
		rows[i] = bar + ansi.Truncate(row, inner, "…")
	}
	return rows, cursorRow, cursorColumn
}

// content returns the title, what it is about, and the keys.
func (d *Dialog) content(v View, width int) (head, body, keys []string) {
	if len(d.request.Questions) > 0 {
		return d.questionRows(v, width)
	}
	s, p := v.Style, d.request.Permission
	title := s.Yellow("? allow ") + s.Bold(console.Line(p.GetToolName()))
	if d.Plan() {
		title = s.Yellow("? ") + s.Bold("the agent has a plan")
	}
	if p.GetSubagentName() != "" || p.GetSubagentId() != "" {
		title += " of subagent " + s.Bold(console.Line(p.GetSubagentName()))
	}
	if v.More > 0 {
		title += s.Dim(fmt.Sprintf("   (%d more)", v.More))
	}
	head = append(head, title)
	if d.Plan() {
		body = markdown.Render(bool(s), p.GetInput().GetFields()["plan"].GetStringValue(), width)
		return head, body, d.keyRows(v, width, [][2]string{
			{"y", "approve"}, {"a", "approve and accept edits"}, {"e", "edit"}, {"n", "keep planning"}, {"d", "keep planning, with words"}, {"x", "stop"},
		})
	}
	body = commandRows(s, p, width)
	for _, line := range d.reasons(v) {
		body = append(body, strings.Split(ansi.Wrap(s.Dim(line), width, " "), "\n")...)
	}
	var choices [][2]string
	choices = append(choices, [2]string{"y", "allow once"})
	if !p.GetNoSessionGrant() {
		choices = append(choices, [2]string{"a", "all of " + console.Line(p.GetToolName()) + " in this session"})
	}
	if len(d.always.Indices) > 0 {
		choices = append(choices, [2]string{"r", "always: " + console.Shorten(d.always.Words, 200)})
	}
	choices = append(choices, [2]string{"e", "edit"}, [2]string{"n", "deny"}, [2]string{"d", "deny with words"}, [2]string{"x", "deny and stop"})
	return head, body, d.keyRows(v, width, choices)
}

// keyRows lists what can be pressed.
func (d *Dialog) keyRows(v View, width int, choices [][2]string) []string {
	if !v.Focused {
		return []string{v.Style.Dim("Tab answers it")}
	}
	var parts []string
	for _, c := range choices {
		parts = append(parts, v.Style.Bold(c[0])+" "+c[1])
	}
	return strings.Split(ansi.Wrap(strings.Join(parts, v.Style.Dim(" · ")), width, " "), "\n")
}

// commandRows returns what would run: the command, the change of a file, or the fields of the input.
func commandRows(s console.Style, p *pb.PermissionRequest, width int) []string {
	var out []string
	diff := transcript.Diff(s, p.GetToolName(), p.GetInput(), 0)
	for _, key := range render.FieldOrder(p.GetInput().GetFields()) {
		value := p.GetInput().GetFields()[key]
		if diff != nil && (key == "old_string" || key == "new_string" || key == "content" || key == "edits" || key == "new_source") {
			continue
		}
		text := value.GetStringValue()
		if text == "" {
			raw, err := protojson.Marshal(value)
			if err != nil {
				continue
			}
			text = string(raw)
		}
		text = strings.TrimRight(visible.Text(text), "\n")
		if key == "command" {
			for _, line := range strings.Split(ansi.Wrap(text, width-2, " "), "\n") {
				out = append(out, "  "+s.Bold(line))
			}
			continue
		}
		out = append(out, strings.Split(ansi.Wrap("  "+s.Dim(console.Line(key)+":")+" "+text, width, " "), "\n")...)
	}
	return append(out, diff...)
}

// reasons says why a person is asked.
func (d *Dialog) reasons(v View) []string {
	p := d.request.Permission
	out := inbox.Reasons(p)
	if d.why != "" && d.why != p.GetReason() {
		out = append(out, "rules: "+console.Line(d.why))
	}
	if p.GetExpiresAt() != nil {
		out = append(out, "it waits for "+console.Span(max(p.GetExpiresAt().AsTime().Sub(v.Now), 0)))
	}
	return out
}

// questionRows returns the question that is shown, with its options.
func (d *Dialog) questionRows(v View, width int) (head, body, keys []string) {
	s, f, q := v.Style, &d.form, d.form.question(d.request)
	place := ""
	if n := len(d.request.Questions); n > 1 {
		place = s.Dim(fmt.Sprintf("(%d of %d) ", min(f.at+1, n), n))
	}
	if q.GetSubagentId() != "" {
		place += "subagent " + console.Line(q.GetSubagentName()) + " asks: "
	}
	head = strings.Split(ansi.Wrap(s.Yellow("? ")+place+s.Bold(console.Text(q.GetQuestion())), width, " "), "\n")
	for i, o := range q.GetOptions() {
		mark := " "
		if q.GetMultiSelect() {
			mark = map[bool]string{true: "[x]", false: "[ ]"}[f.chosen[i]]
		}
		line := fmt.Sprintf("%s%d %s %s", pointer(i == f.option && v.Focused), i+1, mark, console.Line(o.GetLabel()))
		if o.GetDescription() != "" {
			line += "  " + s.Dim(console.Line(o.GetDescription()))
		}
		body = append(body, strings.Split(ansi.Wrap(line, width, " "), "\n")...)
	}
	body = append(body, pointer(f.option == len(q.GetOptions()) && v.Focused)+"o   your own words")
	choices := [][2]string{{"1-9", "choose"}, {"↑↓ Enter", "choose"}}
	if q.GetMultiSelect() {
		choices = [][2]string{{"1-9 Space", "mark"}, {"Enter", "done"}}
	}
	return head, body, d.keyRows(v, width, append(choices, [2]string{"o", "own words"}, [2]string{"x", "decline"}))
}

func pointer(here bool) string {
	if here {
		return "› "
	}
	return "  "
}
