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

// View has the parameters of drawing a dialog.
type View struct {
	Style         console.Style
	Width, Height int
	Focused       bool // keys are for the dialog
	More          int  // requests behind it
	Now           time.Time
}

// Least is the minimum number of rows of a dialog: its title, its subject, and the keys.
const Least = 3

// Rows returns the dialog. cursorRow is negative unless a text field is open.
func (d *Dialog) Rows(v View) (rows []string, cursorRow, cursorColumn int) {
	s, inner := v.Style, max(v.Width-2, 10)
	what := d.content(v, inner)
	head, body, keys := what.head, what.body, d.keyRows(v, inner, what.keys, false)
	if most := max(v.Height/3, 1); len(head) > most { // a long question
		body = slices.Concat(head[most:], body)
		what.option += len(head) - most
		head = head[:most]
	}
	if v.Height-len(head)-len(keys) < min(len(body), bodyRows) {
		keys = d.keyRows(v, inner, what.keys, true)
		body = append(body, what.rest...)
	}
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
	if over := len(head) + 1 + len(field) + len(keys) - v.Height; over > 0 { // the call and the typed text matter most
		gone := min(over, max(len(keys)-1, 0))
		keys, over = keys[:len(keys)-gone], over-gone
		if d.Typing() && over > 0 {
			keys, head = nil, head[:max(len(head)-over+1, 0)]
		}
	}
	body = d.window(s, body, max(v.Height-len(head)-len(field)-len(keys), 1), what.option)
	rows = slices.Concat(head, body, field, keys)
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

// bodyRows is the number of rows of the body that have precedence over the explanations of the keys.
const bodyRows = 4

// window returns the rows of the body that are shown in so many rows. The last one counts the hidden rows, if there is
// room for it.
func (d *Dialog) window(s console.Style, body []string, room, option int) []string {
	if len(body) <= room {
		d.scroll, d.page, d.follow = 0, room, false
		return body
	}
	if room > 1 {
		room--
	}
	if d.follow && (option < d.scroll || option >= d.scroll+room) {
		d.scroll = option - room/2
	}
	d.page, d.follow = room, false
	d.scroll = max(min(d.scroll, len(body)-room), 0)
	shown := body[d.scroll : d.scroll+room]
	if room == 1 {
		return shown
	}
	place := fmt.Sprintf("… rows %d to %d of %d; PgUp PgDn", d.scroll+1, d.scroll+room, len(body))
	return slices.Concat(shown, []string{s.Dim(place)})
}

// content is the content of a dialog.
type content struct {
	head   []string
	body   []string
	option int // row of the body with the option under the cursor
	keys   []choice
	rest   []string // the part of the explanations that the short form lacks
}

// choice is a key with its meaning, in full and in a word.
type choice struct{ name, does, short string }

// content returns the title, the subject, and the keys.
func (d *Dialog) content(v View, width int) (c content) {
	if len(d.request.Questions) > 0 {
		return d.questionRows(v, width)
	}
	s, p := v.Style, d.request.Permission
	title := s.Yellow("? allow ") + s.Bold(console.Line(p.GetToolName()))
	if d.Plan() {
		title = s.Yellow("? ") + s.Bold("the agent has a plan")
	}
	if by := inbox.Asker(p); by != "" {
		title += " of " + s.Bold(by)
	}
	if v.More > 0 {
		title += s.Dim(fmt.Sprintf("   (%d more)", v.More))
	}
	c.head = append(c.head, title)
	if d.Plan() {
		c.body = markdown.Render(bool(s), p.GetInput().GetFields()["plan"].GetStringValue(), width)
		c.keys = []choice{
			{"y", "approve", "approve"},
			{"a", "approve and accept edits", "accept edits"},
			{"e", "edit", "edit"},
			{"n", "keep planning", "no"},
			{"d", "keep planning, with words", "words"},
			{"x", "stop", "stop"},
		}
		return c
	}
	c.body = commandRows(s, p, width)
	for _, line := range d.reasons(v) {
		c.body = append(c.body, strings.Split(ansi.Wrap(s.Dim(line), width, " "), "\n")...)
	}
	c.keys = append(c.keys, choice{"y", "allow once", "once"})
	if !p.GetNoSessionGrant() {
		all := "all of " + console.Line(p.GetToolName()) + " in this session"
		c.keys = append(c.keys, choice{"a", all, "session"})
	}
	if len(d.always.Indices) > 0 {
		rule := "always: " + console.Shorten(d.always.Words, 200)
		c.keys = append(c.keys, choice{"r", rule, "always"})
		c.rest = strings.Split(ansi.Wrap(s.Dim("r "+rule), width, " "), "\n")
	}
	c.keys = append(c.keys, choice{"e", "edit", "edit"}, choice{"n", "deny", "deny"}, choice{"d", "deny with words", "words"}, choice{"x", "deny and stop", "stop"})
	return c
}

// keyRows lists what can be pressed.
func (d *Dialog) keyRows(v View, width int, keys []choice, short bool) []string {
	if !v.Focused {
		return []string{v.Style.Dim("Tab answers it")}
	}
	var parts []string
	for _, k := range keys {
		does := k.does
		if short {
			does = k.short
		}
		parts = append(parts, v.Style.Bold(k.name)+" "+does)
	}
	return wrapKeys(parts, v.Style.Dim(" ·"), width)
}

// wrapKeys joins keys into rows. A key stays on the row of its meaning, if that fits.
func wrapKeys(parts []string, dot string, width int) (rows []string) {
	row := ""
	for _, part := range parts {
		switch joined := row + dot + " " + part; {
		case row == "":
			row = part
		case ansi.StringWidth(joined) <= width:
			row = joined
		default:
			rows, row = append(rows, row), part
		}
	}
	return strings.Split(ansi.Wrap(strings.Join(append(rows, row), "\n"), width, " "), "\n")
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
		text = strings.TrimRight(console.Spaced(visible.Text(text)), "\n")
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

// reasons returns the reasons why a person is asked.
func (d *Dialog) reasons(v View) []string {
	p := d.request.Permission
	out := inbox.Reasons(p)
	if d.why != "" && d.why != p.GetReason() {
		out = append(out, "rules: "+console.Line(d.why))
	}
	if p.GetExpiresAt() != nil {
		out = append(out, "expires in "+console.Span(max(p.GetExpiresAt().AsTime().Sub(v.Now), 0)))
	}
	return out
}

// questionRows returns the question that is shown, with its options.
func (d *Dialog) questionRows(v View, width int) (c content) {
	s, f, q := v.Style, &d.form, d.form.question(d.request)
	place := ""
	if n := len(d.request.Questions); n > 1 {
		place = s.Dim(fmt.Sprintf("(%d of %d) ", min(f.at+1, n), n))
	}
	if q.GetSubagentId() != "" {
		place += "subagent " + console.Line(q.GetSubagentName()) + " asks: "
	}
	c.head = strings.Split(ansi.Wrap(s.Yellow("? ")+place+s.Bold(console.Block(q.GetQuestion())), width, " "), "\n")
	for i, o := range q.GetOptions() {
		mark := " "
		if q.GetMultiSelect() {
			mark = map[bool]string{true: "[x]", false: "[ ]"}[f.chosen[i]]
		}
		line := fmt.Sprintf("%s%d %s %s", pointer(i == f.option && v.Focused), i+1, mark, console.Line(o.GetLabel()))
		if o.GetDescription() != "" {
			line += "  " + s.Dim(console.Line(o.GetDescription()))
		}
		if i == f.option {
			c.option = len(c.body)
		}
		c.body = append(c.body, strings.Split(ansi.Wrap(line, width, " "), "\n")...)
	}
	if f.option == len(q.GetOptions()) {
		c.option = len(c.body)
	}
	c.body = append(c.body, pointer(f.option == len(q.GetOptions()) && v.Focused)+"o   your own words")
	c.keys = []choice{{"1-9", "choose", "choose"}, {"↑↓ Enter", "choose", "choose"}}
	if q.GetMultiSelect() {
		c.keys = []choice{{"1-9 Space", "mark", "mark"}, {"Enter", "done", "done"}}
	}
	c.keys = append(c.keys, choice{"o", "own words", "words"}, choice{"x", "decline", "decline"})
	return c
}

func pointer(here bool) string {
	if here {
		return "› "
	}
	return "  "
}
