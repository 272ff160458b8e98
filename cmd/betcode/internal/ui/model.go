package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"betcode/cmd/betcode/internal/chat/editor"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/sessionstate"
	pb "betcode/proto/betcode/v1"
)

// Model is the state of the list of sessions.
type Model struct {
	style         console.Style
	width, height int
	rows          []row
	total         int
	chosen        string // id of the session under the cursor
	first         int    // index of the first row shown
	line          line
	help          bool
	read          bool      // a list has come
	lost          time.Time // since when there is no list; zero: there is
	trouble       string    // the daemon's error; empty: it does not answer
	said          string    // a short answer to the last command
	away          string    // what happened while the person was away
	blurred       time.Time
}

// row is a session in the list.
type row struct {
	session *pb.SessionSummary
	state   sessionstate.State
}

// line is the filter, or a command that is being typed.
type line struct {
	mode   rune // '/' or ':'; 0: neither
	text   editor.Editor
	filter string
}

// Effect is an action that a key requests.
type Effect interface{ effect() }

// Effects.
type (
	// Open opens a session, at an event of its history if At is not 0, and within the output of a tool at the line with Words.
	Open struct {
		Session string
		At      uint64
		Words   string // as [lookback.Sought] returns them; may be empty
	}
	// Begin opens a new session in this directory.
	Begin struct{}
	// Command performs a command of the list.
	Command struct{ Name, Session, Argument string }
	// ShowPlans shows the graph of orchestrations.
	ShowPlans struct{}
	// HidePlans shows the list again.
	HidePlans struct{}
	// ShowSearch begins a search over the history of all sessions.
	ShowSearch struct{}
	// HideSearch shows the list again.
	HideSearch struct{}
	// Search asks for the hits of a query.
	Search struct{ Query string }
	// Quit ends the screen. The sessions go on.
	Quit struct{}
)

func (Open) effect()       {}
func (Begin) effect()      {}
func (Command) effect()    {}
func (ShowPlans) effect()  {}
func (HidePlans) effect()  {}
func (ShowSearch) effect() {}
func (HideSearch) effect() {}
func (Search) effect()     {}
func (Quit) effect()       {}

// NewModel returns an empty list.
func NewModel(s console.Style) *Model { return &Model{style: s, width: 80, height: 24} }

// Resize sets the size of the screen.
func (m *Model) Resize(width, height int) { m.width, m.height = max(width, 20), max(height, 6) }

// Listed takes the sessions, or why there are none.
func (m *Model) Listed(now time.Time, r *pb.ListSessionsResponse, err error) {
	if err != nil {
		if m.lost.IsZero() {
			m.lost = now
		}
		if m.trouble = ""; !unanswered(err) {
			m.trouble = reason(err)
		}
		return
	}
	m.read, m.lost, m.trouble, m.total = true, time.Time{}, "", int(r.GetTotal())
	m.rows = m.rows[:0:0]
	for _, s := range r.GetSessions() {
		m.rows = append(m.rows, row{s, sessionstate.Of(s)})
	}
	slices.SortStableFunc(m.rows, func(a, b row) int { return sessionstate.Compare(a.state.Name, b.state.Name) })
}

// shown returns the rows that the filter leaves.
func (m *Model) shown() []row {
	if m.line.filter == "" {
		return m.rows
	}
	var out []row
	for _, r := range m.rows {
		s := r.session
		text := strings.Join([]string{s.GetName(), s.GetTitle(), s.GetId(), s.GetWorkingDirectory(), string(r.state.Name), r.state.Reason, s.GetLastMessagePreview()}, " ")
		if strings.Contains(strings.ToLower(text), strings.ToLower(m.line.filter)) {
			out = append(out, r)
		}
	}
	return out
}

// at returns the index of the chosen row.
func (m *Model) at(rows []row) int {
	return max(slices.IndexFunc(rows, func(r row) bool { return r.session.GetId() == m.chosen }), 0)
}

// Next returns the next session behind one that waits for a person; empty if none does.
func (m *Model) Next(behind string) string {
	at := slices.IndexFunc(m.rows, func(r row) bool { return r.session.GetId() == behind })
	for i := range m.rows {
		r := m.rows[(at+1+i)%len(m.rows)]
		if r.state.Name == sessionstate.Waiting && r.session.GetId() != behind {
			return r.session.GetId()
		}
	}
	return ""
}

// Session returns the entry of a session in the list; nil if there is none.
func (m *Model) Session(id string) *pb.SessionSummary {
	for _, r := range m.rows {
		if r.session.GetId() == id {
			return r.session
		}
	}
	return nil
}

// Press handles a key of the list.
func (m *Model) Press(k editor.Key) Effect {
	m.said = ""
	if m.line.mode != 0 {
		return m.typed(k)
	}
	rows := m.shown()
	at := m.at(rows)
	if k.Name == "q" && m.help { // it leads back, as on the other pages
		m.help = false
		return nil
	}
	switch k.Name {
	case "q", "ctrl+c", "ctrl+d":
		return Quit{}
	case "?":
		m.help = !m.help
	case "esc":
		switch {
		case m.help:
			m.help = false
		case m.line.filter != "":
			m.line.filter = ""
		default:
			m.away = ""
		}
	case "/", ":":
		m.line.mode, m.line.text = rune(k.Name[0]), editor.Editor{}
	case "n":
		if next := m.Next(""); next != "" {
			return Open{Session: next}
		}
		m.said = "Nothing waits for you."
	case "p":
		return ShowPlans{}
	case "s":
		return ShowSearch{}
	case "N", "c":
		return Begin{}
	case "enter", "l", "right":
		if at < len(rows) {
			return Open{Session: rows[at].session.GetId()}
		}
	default:
		if i := strings.Index("123456789", k.Name); len(k.Name) == 1 && i >= 0 && i < len(rows) {
			return Open{Session: rows[i].session.GetId()}
		}
	}
	if at = moved(at, k.Name, len(rows), m.height); at >= 0 {
		m.chosen = rows[at].session.GetId()
	}
	return nil
}

// typed handles a key of the filter or the command.
func (m *Model) typed(k editor.Key) Effect {
	l := &m.line
	switch k.Name {
	case "esc", "ctrl+c":
		if l.mode == '/' {
			l.filter = ""
		}
		l.mode = 0
		return nil
	case "enter":
		mode := l.mode
		l.mode = 0
		if mode == ':' {
			return m.command(strings.TrimSpace(l.text.Text()))
		}
		return nil
	}
	l.text.Key(k)
	if l.mode == '/' {
		l.filter = l.text.Text()
	}
	return nil
}

// Paste inserts pasted text into the filter or the command, on one line.
func (m *Model) Paste(text string) {
	if m.line.mode == 0 {
		return
	}
	m.line.text.Insert(strings.Join(strings.Fields(text), " "))
	if m.line.mode == '/' {
		m.line.filter = m.line.text.Text()
	}
}

// command reads a command about the chosen session.
func (m *Model) command(text string) Effect {
	name, argument, _ := strings.Cut(text, " ")
	argument = strings.TrimSpace(argument)
	rows := m.shown()
	id := ""
	if len(rows) > 0 {
		id = rows[m.at(rows)].session.GetId()
	}
	switch {
	case name == "q" || name == "quit":
		return Quit{}
	case name == "new":
		return Begin{}
	case name == "plans":
		return ShowPlans{}
	case name == "search" && argument != "":
		return Search{argument}
	case name == "search":
		return ShowSearch{}
	case name == "open" && argument != "":
		return Open{Session: argument}
	case id == "":
		m.said = "There is no session."
	case name == "stop" || name == "resume" || name == "cancel":
		return Command{name, id, ""}
	case name == "rename" && argument == "":
		m.said = "Name missing: rename NAME"
	case name == "rename":
		return Command{name, id, argument}
	default:
		m.said = fmt.Sprintf("There is no command %q: new, open SESSION, search WORDS, plans, stop, resume, cancel, rename NAME, quit", console.Line(name))
	}
	return nil
}

// Say shows a short answer.
func (m *Model) Say(text string) { m.said = console.Line(text) }

// Counts returns how many sessions are in each state.
func (m *Model) Counts() map[sessionstate.Name]int {
	counts := map[sessionstate.Name]int{}
	for _, r := range m.rows {
		counts[r.state.Name]++
	}
	return counts
}

// title returns the display name of a session.
func title(s *pb.SessionSummary) string {
	return console.Line(cmp.Or(s.GetName(), s.GetTitle(), s.GetLastMessagePreview(), "session "+console.ShortID(s.GetId())))
}
