package ui

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/sessionstate"
)

// headings are the groups of the list.
var headings = map[sessionstate.Name]string{
	sessionstate.Waiting: "NEEDS YOU", sessionstate.Blocked: "BLOCKED", sessionstate.Queued: "QUEUED", sessionstate.Working: "WORKING",
	sessionstate.Idle: "IDLE", sessionstate.Stopped: "STOPPED",
}

// help lists the keys of the list and of a session.
const help = `In the list
  j k  Up Down    next, previous        Enter  1-9   open
  n               open the next session that waits for you
  c               a new session in this directory
  s               search what was said, called and returned in all sessions
  p               plans: the orchestrations and their steps
  /               filter                :      a command: new, open SESSION, search WORDS,
  ?               this help                    plans, stop, resume, cancel, rename NAME, quit
  q               leave; sessions go on

In a session
  Esc             one level back: closes what is open, then leads to the list
  Ctrl-N          the next session that waits for you
  Ctrl-T          unfold and fold the output of all tools
  Shift-Tab       choose a call of a tool       Ctrl-O  unfold and fold it alone
  PgUp PgDn       scroll                Tab     to the request, and back
  /help           keys of the editor`

// Rows returns the whole screen.
func (m *Model) Rows(now time.Time) []string {
	out := []string{m.header(now)}
	if m.away != "" {
		out = append(out, m.style.Dim(m.away))
	}
	out = append(out, "")
	body := m.height - 2 - len(out)
	switch {
	case m.help:
		out = append(out, strings.Split(help, "\n")...)
	case !m.read:
		out = append(out, m.style.Dim("reading the list of sessions …"))
	default:
		out = append(out, m.list(now, body)...)
	}
	for len(out) < m.height-2 {
		out = append(out, "")
	}
	out = append(out[:max(m.height-2, 2)], m.style.Dim(strings.Repeat("─", m.width-1)), m.footer())
	for i := range out {
		out[i] = ansi.Truncate(out[i], m.width-1, "…")
	}
	return out
}

// header counts the sessions by what they need, and shows their cost and the state of the connection.
func (m *Model) header(now time.Time) string {
	s, counts := m.style, m.Counts()
	parts := []string{s.Bold("betcode")}
	add := func(n int, text string, colour func(string) string) {
		if n > 0 {
			parts = append(parts, colour(fmt.Sprintf("%d %s", n, text)))
		}
	}
	plain := func(t string) string { return t }
	add(counts[sessionstate.Waiting], "need you", s.Yellow)
	add(counts[sessionstate.Blocked], "blocked", s.Red)
	add(counts[sessionstate.Queued], "queued", plain)
	add(counts[sessionstate.Working], "working", s.Green)
	add(counts[sessionstate.Idle], "idle", plain)
	add(counts[sessionstate.Stopped], "stopped", s.Dim)
	cost := 0.0
	for _, r := range m.rows {
		cost += r.session.GetTotalCostUsd()
	}
	if cost > 0 {
		parts = append(parts, fmt.Sprintf("$%.2f", cost))
	}
	switch {
	case m.lost.IsZero():
		parts = append(parts, s.Green("live"))
	case m.trouble != "":
		parts = append(parts[:1], s.Red("the list was not read: "+m.trouble))
	default:
		parts = append(parts, s.Red(fmt.Sprintf("no daemon for %s, trying again (betcode daemon start)", console.Span(now.Sub(m.lost)))))
	}
	return strings.Join(parts, s.Dim(" · "))
}

// list returns the groups, scrolled so that the chosen session is seen.
func (m *Model) list(now time.Time, height int) []string {
	rows := m.shown()
	if len(rows) == 0 {
		if m.line.filter != "" {
			return []string{m.style.Dim("no session matches; Esc shows all")}
		}
		return []string{m.style.Dim("no session yet: c begins one in this directory")}
	}
	at := m.at(rows)
	var out []string
	place := 0
	var group sessionstate.Name
	for i, r := range rows {
		if r.state.Name != group {
			group = r.state.Name
			if len(out) > 0 {
				out = append(out, "")
			}
			out = append(out, m.style.Dim(headings[group]))
		}
		if i == at {
			place = len(out)
		}
		out = append(out, m.row(now, r, i, i == at))
	}
	if more := m.total - len(m.rows); more > 0 {
		out = append(out, m.style.Dim(fmt.Sprintf("… %d more: betcode ps --all", more)))
	}
	switch {
	case place <= m.first+1:
		m.first = max(place-1, 0)
	case place >= m.first+height:
		m.first = place - height + 1
	}
	m.first = max(min(m.first, len(out)-height), 0)
	return out[m.first:min(m.first+height, len(out))]
}

// narrow is the width below which the directory is left out.
const narrow = 60

// agoWidth is the width of the column that shows how long ago a session was used, so that its rows line up: "59s ago".
const agoWidth = 7

// row returns a session on one row: its name, what it waits for or did last, its directory and the time.
func (m *Model) row(now time.Time, r row, i int, chosen bool) string {
	s := r.session
	number := "  "
	if i < 9 {
		number = fmt.Sprintf("%d ", i+1)
	}
	ago := fmt.Sprintf("%*s", agoWidth, console.Ago(s.GetUpdatedAt(), now))
	wide, right := 26, fmt.Sprintf("%s  %s", console.Shorten(console.Line(filepath.Base(s.GetWorkingDirectory())), 16), ago)
	if m.width < narrow {
		wide, right = 14, ago
	}
	name := console.Shorten(title(s), wide-2)
	what := r.state.Reason
	if what == "" && sessionstate.Label(s) != "" {
		what = console.Line(s.GetLastMessagePreview())
	}
	room := max(m.width-1-2-2-wide-ansi.StringWidth(right)-2, 0)
	text := pad(name, wide) + pad(ansi.Truncate(what, room, "…"), room) + "  " + m.style.Dim(right)
	switch {
	case chosen:
		return m.style.Bold("› " + number + text)
	case r.state.Name == sessionstate.Waiting:
		return "  " + m.style.Yellow(number) + text
	}
	return "  " + m.style.Dim(number) + text
}

func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(width-ansi.StringWidth(text), 0))
}

func (m *Model) footer() string {
	switch {
	case m.line.mode != 0:
		text, _, _ := m.line.text.View(m.width-4, 1)
		return m.style.Bold(string(m.line.mode)) + text[0]
	case m.said != "":
		return m.style.Yellow(m.said)
	case m.line.filter != "":
		return m.style.Dim("/" + console.Line(m.line.filter) + "   Esc shows all")
	}
	return m.style.Dim("Enter open · n next that waits · c new · s search · / filter · ? help · q leave")
}

// Cursor returns the place of the cursor; a negative row hides it.
func (m *Model) Cursor() (row, column int) {
	if m.line.mode == 0 {
		return -1, 0
	}
	_, _, c := m.line.text.View(m.width-4, 1)
	return m.height - 1, c + 1
}
