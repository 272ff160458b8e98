package chat

import (
	"slices"
	"time"

	"betcode/cmd/betcode/internal/chat/dialog"
	"betcode/cmd/betcode/internal/chat/drafts"
	"betcode/cmd/betcode/internal/chat/editor"
	"betcode/cmd/betcode/internal/chat/transcript"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/inbox"
	pb "betcode/proto/betcode/v1"
)

// Model is the state of a chat. [New] returns one; [Model.Step] is its only writer.
type Model struct {
	options       Options
	width, height int
	effects       []Effect // of the running step
	now           time.Time

	transcript *transcript.Transcript
	queue      inbox.Queue
	backlog    inbox.Backlog
	dialog     *dialog.Dialog // the request on the screen; nil if none waits
	gate       dialog.Gate
	focus      focus
	answering  bool // a person has begun to answer the request: the next keys need no silence before them

	editor      editor.Editor
	history     editor.History
	completions editor.Completions
	asking      string // word for which completions are on their way
	wanted      string // word for which they are wanted

	presses  uint64 // keys so far
	burst    int    // keys in a row that came too fast for a person
	returned bool   // the last key was Enter
	entered  bool   // Enter waits whether more keys follow
	held     *editor.Key

	unconfirmed []drafts.Message
	restored    drafts.Saved // to be restored after the history
	saved       bool         // the draft file has the typed text

	state               state
	rows                []string // to be printed
	printing            bool
	focused             bool // the terminal has the focus
	focusing            bool // it reports that
	lastKey             time.Time
	leaving             bool
	offset              int // rows between the end and the last one shown, on a screen
	rowsThen, widthThen int // rows of the transcript when the window was scrolled up, and their width

	drawn, higher int       // rows of the last frame, and of the highest of those that it may not have replaced on the terminal yet
	shrunk        time.Time // when a lower frame replaced a higher one last

	follow bool  // the next frame shows the chosen call
	reveal bool  // the next frame shows the hit of a search
	goal   Place // to be shown when the history is there
}

// focus is where keys go while a request waits.
type focus uint8

const (
	automatic focus = iota // to the dialog while nothing is typed
	toEditor               // Tab or Esc was pressed
	toDialog               // Tab was pressed
)

// state is the known state of the session.
type state struct {
	caughtUp    bool
	running     bool
	since       time.Time // of the turn, or of the tool
	doing       string
	pressed     bool // Ctrl-C was pressed, and nothing has happened since
	model       string
	directory   string
	cost        float64
	context     float32
	others      map[string]string // who else is attached: names by id
	holder      string
	requestedBy string
	offeredTo   string
	outage      string
	queued      []string // keys of accepted messages whose turn has not ended
	noSlot      bool     // they wait until an agent may start
	waits       string   // why the session waits for a person without a request; empty: it does not
	condition   string
	blocked     string
}

// New returns the state at the beginning.
func New(o Options) *Model {
	m := &Model{options: o, width: 80, height: 24, saved: true, focused: true}
	m.transcript = transcript.New(transcript.Options{Style: o.Style, Verbose: o.Verbose, Nested: o.Screen, Client: o.Client})
	m.history.SetEntries(o.History)
	m.state.caughtUp = o.Head == 0
	m.restored = o.Restored
	if !o.Exact || m.state.caughtUp {
		m.restore()
	}
	return m
}

// Session returns the session's id.
func (m *Model) Session() string { return m.options.Session }

// Place is an event of the history, and within the output of a tool the line that has words.
type Place struct {
	Sequence uint64 // 0: none
	Words    string // with single spaces; empty: the first line
}

// Show shows a place, when the history is there. An empty one changes nothing.
func (m *Model) Show(at Place) {
	if at.Sequence == 0 {
		return
	}
	m.goal = at
	if m.state.caughtUp {
		m.showGoal()
	}
}

// showGoal marks the event that was asked for.
func (m *Model) showGoal() {
	if m.goal.Sequence == 0 {
		return
	}
	if m.reveal = m.transcript.Hit(m.goal.Sequence, m.goal.Words); !m.reveal {
		m.tell("What was found is older than what is shown here: betcode attach %s --from %d", console.ShortID(m.options.Session), m.goal.Sequence)
	}
	m.goal = Place{}
}

// Step applies one message and returns its effects.
func (m *Model) Step(now time.Time, message any) []Effect {
	m.now, m.effects = now, nil
	switch message := message.(type) {
	case Items:
		for _, item := range message {
			m.item(item)
		}
		m.offerNext()
	case Press:
		m.press(editor.Key(message))
	case Paste:
		m.paste(string(message))
	case enterDue:
		if m.entered && message.press == m.presses {
			m.entered, m.burst = false, 0
			m.enter()
		}
	case answerDue:
		if m.held != nil && message.press == m.presses {
			m.answer(*m.held)
		}
	case Resize:
		m.width, m.height = max(message.Width, 20), max(message.Height, 6)
	case Focus:
		m.focused, m.focusing = bool(message), true
	case Opened:
		if m.dialog != nil { // nobody has seen it meanwhile
			m.showDialog()
		}
	case Printed:
		m.printing = false
	case Explained:
		if m.dialog != nil && m.dialog.Request().ID == message.Request {
			m.dialog.Explain(message.Why)
		}
	case Completed:
		m.asking = ""
		m.completions.Set(&m.editor, message.Word, message.Choices)
		m.complete()
	case Edited:
		if message.Err != nil {
			m.tell("the editor failed: %v", message.Err)
		} else {
			m.editor.SetText(message.Text)
			m.saved = false
		}
	case Locked:
		m.lockAnswered(message.Response, message.Err)
	case Tick:
		if m.state.running || m.dialog != nil {
			m.do(After{time.Second, Tick{}})
		}
	}
	m.print()
	m.save()
	return m.effects
}

func (m *Model) do(effects ...Effect) { m.effects = append(m.effects, effects...) }

// print prints finished rows, at most as many as fit above the frame. What is printed while a higher frame is still on the
// terminal would push that frame into the rows above, and be lost below it.
func (m *Model) print() {
	if m.options.Screen {
		return
	}
	m.rows = append(m.rows, m.transcript.Take(m.width)...)
	if m.printing || len(m.rows) == 0 {
		return
	}
	m.Frame(m.now)
	n := min(max(m.height-m.onTerminal()-1, 1), len(m.rows))
	m.do(Print{m.rows[:n:n]})
	m.rows, m.printing = m.rows[n:], true
}

// redraws bounds the time after which Bubble Tea, which draws 60 times a second, has drawn the last frame that it was given.
const redraws = 500 * time.Millisecond

// drew notes the height of a frame that replaces the last one.
func (m *Model) drew(rows int, now time.Time) {
	if rows < m.drawn {
		if now.Sub(m.shrunk) > redraws {
			m.higher = 0
		}
		m.higher, m.shrunk = max(m.higher, m.drawn), now
	}
	m.drawn = rows
}

// onTerminal returns how high the frame on the terminal may be.
func (m *Model) onTerminal() int {
	if m.now.Sub(m.shrunk) > redraws {
		return m.drawn
	}
	return max(m.drawn, m.higher)
}

// save keeps the draft if it has changed.
func (m *Model) save() {
	if !m.saved {
		m.saved = true
		m.do(Save{m.draft()})
	}
}

func (m *Model) draft() drafts.Saved {
	s := drafts.Saved{Session: m.options.Session, Text: m.editor.Text(), Unconfirmed: slices.Clone(m.unconfirmed)}
	if m.restored.Text != "" || len(m.restored.Unconfirmed) > 0 { // not in the editor yet
		s.Unconfirmed = append(slices.Clone(m.restored.Unconfirmed), s.Unconfirmed...)
		if s.Text == "" {
			s.Text = m.restored.Text
		}
	}
	return s
}

// restore puts what an ended terminal left into the editor.
func (m *Model) restore() {
	r := m.restored
	m.restored = drafts.Saved{}
	text := ""
	for _, u := range r.Unconfirmed {
		text += u.Text + "\n"
	}
	if text += r.Text; text == "" {
		return
	}
	if len(r.Unconfirmed) > 0 {
		m.tell("Restored below: the daemon had not confirmed it when the last chat ended.")
	} else {
		m.tell("Restored below: what you had typed when the last chat ended.")
	}
	if !m.editor.Empty() {
		text += "\n" + m.editor.Text()
	}
	m.editor.SetText(text)
	m.saved = false
}

// tell shows a line of this program. Its arguments, such as an error, may be texts of others.
func (m *Model) tell(format string, args ...any) {
	m.transcript.Line(m.options.Style.Dim(console.Block(sprintf(format, args...))))
}

// Waits reports whether a request of the agent waits for a person.
func (m *Model) Waits() bool { return m.dialog != nil }

// say sends a message and keeps it until the daemon confirms it.
func (m *Model) say(text string) {
	key := m.options.NewKey()
	m.unconfirmed = append(m.unconfirmed, drafts.Message{Key: key, Text: text})
	m.saved = false
	m.save() // before it is sent
	m.do(Send{&pb.AgentRequest{Request: &pb.AgentRequest_Message{Message: &pb.UserMessage{Content: text, IdempotencyKey: key}}}})
	m.offset = 0
}

// Rest returns the rows that are not printed yet, when the program has ended.
func (m *Model) Rest() []string {
	if m.options.Screen {
		return nil
	}
	return append(m.rows, m.transcript.Take(m.width)...)
}
