package chat

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"betcode/cmd/betcode/internal/chat/dialog"
	"betcode/cmd/betcode/internal/console"
)

// Rows that parts of the frame may take.
const (
	editorRows  = 8
	choiceRows  = 6
	promptWidth = 2
)

// Frame returns the rows below the printed output, and the place of the cursor; a negative row hides it.
func (m *Model) Frame(now time.Time) (rows []string, cursorRow, cursorColumn int) {
	if m.leaving {
		return nil, -1, 0
	}
	s := m.options.Style
	bottom, row, column := m.input()
	row++ // below the rule
	bottom = append([]string{s.Dim(strings.Repeat("─", m.width-1))}, append(bottom, m.Status(now))...)
	cursorRow, cursorColumn = row, column
	room := m.height - len(bottom) - 1
	var middle []string
	if m.dialog != nil {
		focused := m.dialogFocused()
		d, r, c := m.dialog.Rows(dialog.View{
			Style: s, Width: m.width, Height: max(room, dialog.Least), Focused: focused, More: m.queue.Len() - 1, Now: now,
		})
		middle = d
		switch {
		case r >= 0:
			cursorRow, cursorColumn = r, c
		case focused:
			cursorRow = -1
		default:
			cursorRow += len(d)
		}
		if r < 0 && focused {
			cursorRow = -1
		}
	}
	room -= len(middle)
	var top []string
	if m.options.Screen {
		m.scroll(max(room, 0))
		m.stay()
		top, m.offset = m.transcript.Window(m.width, max(room, 0), m.offset)
		if m.offset > 0 {
			bottom[0] = s.Dim(ansi.Truncate("── "+console.Count(m.offset, "row")+" below · PgDn "+strings.Repeat("─", m.width), m.width-1, ""))
		}
	} else if room > 0 {
		if top = m.transcript.Live(m.width, min(room, m.height*2/3)); len(top) > 0 {
			top = append(top, "")
			top = top[max(len(top)-room, 0):]
		}
	}
	if cursorRow >= 0 {
		cursorRow += len(top)
	}
	rows = append(append(top, middle...), bottom...)
	if over := len(rows) - m.height; over > 0 { // a tiny terminal: the editor matters most
		rows, cursorRow = rows[over:], max(cursorRow-over, -1)
	}
	for i := range rows {
		rows[i] = ansi.Truncate(rows[i], m.width, "…")
	}
	m.drew(len(rows), now)
	return rows, cursorRow, cursorColumn
}

// gauge says how much of the context is used. The agent summarises it when it is full.
func gauge(s console.Style, percent float32) string {
	text := fmt.Sprintf("context %.0f%%", percent)
	if percent < 1 {
		text = "context <1%"
	}
	switch {
	case percent >= 90:
		return s.Red(text)
	case percent >= 75:
		return s.Yellow(text)
	}
	return text
}

// scroll moves the window of so many rows to the call that was chosen last, or to what a search has found.
func (m *Model) scroll(height int) {
	above := 0
	switch {
	case m.follow:
		above = m.transcript.Above(m.width)
	case m.reveal:
		above = m.transcript.AboveHit(m.width)
	}
	m.follow, m.reveal = false, false
	if above > m.offset+height || above > 0 && above <= m.offset {
		m.offset = max(above-max(height-1, 1), 0)
	}
}

// stay keeps the rows of a window that is scrolled up where they are while others come below it.
func (m *Model) stay() {
	if m.offset == 0 {
		m.rowsThen = 0
		return
	}
	rows := m.transcript.Height(m.width)
	if m.rowsThen > 0 && m.widthThen == m.width {
		m.offset = max(m.offset+rows-m.rowsThen, 1)
	}
	m.rowsThen, m.widthThen = rows, m.width
}

// input returns the editor with its prompt, the search and the completions.
func (m *Model) input() (rows []string, cursorRow, cursorColumn int) {
	s := m.options.Style
	if m.options.ReadOnly {
		return []string{s.Dim("watching only; q leaves")}, 0, 0
	}
	most := min(editorRows, max(m.height/3, 1))
	text, row, column := m.editor.View(m.width-promptWidth, most)
	for i, line := range text {
		prompt := "  "
		if i == 0 {
			prompt = s.Bold("> ")
		}
		rows = append(rows, prompt+line)
	}
	if query, found, searching := m.history.Searching(); searching {
		words := "search: " + console.Line(query)
		if !found {
			words += "  (nothing)"
		}
		rows = append(rows, s.Dim(words+"   Ctrl-R older · Enter takes it · Esc back"))
	}
	if m.completions.Open() {
		choices, at := m.completions.Choices(choiceRows)
		for i, c := range choices {
			line := fmt.Sprintf("  %-24s %s", console.Line(c.Text), s.Dim(console.Line(c.What)))
			if i == at {
				line = s.Bold("› " + strings.TrimPrefix(line, "  "))
			}
			rows = append(rows, ansi.Truncate(line, m.width-1, "…"))
		}
	}
	return rows, row, column + promptWidth
}

// Status returns the line below the editor: what the session does, and what it costs.
func (m *Model) Status(now time.Time) string {
	s, st := m.options.Style, &m.state
	var parts []string
	switch {
	case st.outage != "":
		parts = append(parts, s.Red(st.outage))
	case m.dialog != nil:
		parts = append(parts, s.Yellow("waits for you"))
	case st.waits != "":
		parts = append(parts, s.Yellow("waits: "+st.waits))
	case st.running:
		what := "working"
		if st.doing != "" {
			what = st.doing
		}
		parts = append(parts, s.Green(fmt.Sprintf("%s %s", what, console.Span(max(now.Sub(st.since), 0)))), "Ctrl-C interrupts")
	case len(m.unconfirmed) > 0:
		parts = append(parts, s.Yellow("sending"))
	case st.condition != "":
		parts = append(parts, s.Red("blocked: "+strings.ReplaceAll(console.Line(st.condition), "_", " ")))
	case st.blocked != "":
		parts = append(parts, s.Yellow("interrupted; waits: "+console.Line(st.blocked)))
	case len(st.queued) > 0 && st.noSlot:
		parts = append(parts, s.Yellow("queued until an agent may start"))
	case len(st.queued) > 0 && st.caughtUp:
		parts = append(parts, s.Yellow("queued"))
	case !st.caughtUp:
		parts = append(parts, "catching up")
	default:
		parts = append(parts, "idle")
	}
	if n := len(m.unconfirmed); n > 1 {
		parts = append(parts, console.Count(n, "message")+" not confirmed")
	}
	if st.requestedBy != "" { // for ten seconds
		parts = append(parts, s.Yellow(m.lockRequest()))
	}
	if n := m.backlog.Len(); n > 0 && st.caughtUp {
		parts = append(parts, s.Yellow(console.Count(n, "message")+" queued"))
	}
	if st.model != "" {
		parts = append(parts, console.Line(st.model))
	}
	if st.context > 0 {
		parts = append(parts, gauge(s, st.context))
	}
	if st.cost > 0 {
		parts = append(parts, fmt.Sprintf("$%.2f", st.cost))
	}
	if others := m.others(); others != "" {
		parts = append(parts, others)
	}
	if st.requestedBy == "" && st.holder != "" {
		parts = append(parts, "lock: "+m.holder())
	}
	if !m.state.running && m.dialog == nil && m.width >= 60 {
		parts = append(parts, s.Dim("/help"))
	}
	return ansi.Truncate(strings.Join(parts, s.Dim(" · ")), m.width-1, "…")
}
