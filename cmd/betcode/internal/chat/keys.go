package chat

import (
	"time"

	"betcode/cmd/betcode/internal/chat/dialog"
	"betcode/cmd/betcode/internal/chat/editor"
)

const (
	// typingGap is the time between two keys below which they are a paste that the terminal did not mark.
	typingGap = 8 * time.Millisecond
	// enterWait is how long Enter waits for keys behind it, which would make it a line end within a paste.
	enterWait = 25 * time.Millisecond
)

// press handles a key.
func (m *Model) press(k editor.Key) {
	gap := m.now.Sub(m.lastKey)
	m.lastKey = m.now
	m.presses++
	deliberate := m.gate.Press(m.now)
	if m.held != nil { // another key follows at once: neither was an answer
		m.refuse()
		deliberate = false
	}
	switch {
	case m.entered: // more follows: it was a line end of a paste
		m.entered = false
		m.burst++
		m.lineEnd()
	case gap >= typingGap:
		m.burst = 0
	}
	feed := m.returned && k.Name == "ctrl+j" && gap < typingGap // Shift-Enter of terminals that send "\\\r\n" for it
	if m.returned = k.Name == "enter"; feed {
		return
	}
	if m.always(k) {
		return
	}
	if m.dialog != nil && m.dialogKey(k, deliberate) {
		return
	}
	if !m.completions.Open() && m.card(k) {
		return
	}
	if m.options.ReadOnly {
		m.readOnlyKey(k)
		return
	}
	m.editorKey(k)
}

// always handles keys that mean the same everywhere. It reports whether it did.
func (m *Model) always(k editor.Key) bool {
	switch k.Name {
	case "ctrl+c":
		if _, _, searching := m.history.Searching(); searching || m.dialog != nil && m.dialog.Typing() {
			return false
		}
		m.interrupt()
	case "ctrl+z":
		m.do(Suspend{})
	case "ctrl+l":
	default:
		m.state.pressed = false // Ctrl-C leaves only when nothing came between
		return false
	}
	return true
}

// dialogKey handles a key for the waiting request. It reports whether it was one.
func (m *Model) dialogKey(k editor.Key, deliberate bool) bool {
	if m.dialog.Typing() {
		m.send(m.dialog.Type(k))
		return true
	}
	focused := m.dialogFocused()
	switch {
	case k.Name == "tab" && focused, k.Name == "esc" && focused && m.escFocuses():
		m.give(toEditor)
		return true
	case k.Name == "tab" && !m.completions.Open() && m.gate.Readable(m.now):
		m.give(toDialog)
		m.answering = deliberate
		return true
	case !focused || k.Name == "esc":
		return false
	}
	switch {
	case m.dialog.Moves(k):
		return true
	case !m.dialog.Answers(k) || m.options.ReadOnly:
		return m.focus == toDialog && k.Name == "enter"
	case !deliberate && !m.answering:
		if k.Text != "" && k.Name != "space" {
			m.editor.Insert(k.Text)
			m.saved = false
		}
		m.tell("Not taken as an answer: it came together with other keys, or before the request was on the screen for a moment. Tab, then the key, answers.")
		return true
	}
	m.held = &k
	m.do(After{dialog.Hold, answerDue{m.presses}})
	return true
}

// dialogFocused reports whether keys are for the waiting request.
func (m *Model) dialogFocused() bool {
	if m.dialog == nil {
		return false
	}
	return m.dialog.Typing() || m.focus == toDialog || m.focus == automatic && m.editor.Empty()
}

// escFocuses reports whether Esc leads from the request that has the keys to the editor: Tab has led to the request, or there is
// no page to which Esc leads.
func (m *Model) escFocuses() bool { return m.focus == toDialog || !m.options.Screen }

// Away reports whether nothing is open here that Esc closes, so that it means: one page back. A request that got the keys by
// itself is not opened by anybody, and typed text stays.
func (m *Model) Away() bool {
	_, _, searching := m.history.Searching()
	opened := m.dialog != nil && (m.dialog.Typing() || m.focus == toDialog)
	return m.held == nil && !opened && !searching && !m.completions.Open() && !m.transcript.Chosen()
}

// Unfold shows the whole output of tools, or folds it again.
func (m *Model) Unfold(open bool) { m.transcript.Unfold(open) }

// card handles a key for the calls of tools on a screen. It reports whether it was one.
func (m *Model) card(k editor.Key) bool {
	if !m.options.Screen {
		return false
	}
	switch k.Name {
	case "shift+tab", "alt+up":
		m.transcript.Choose(-1)
	case "alt+down":
		m.transcript.Choose(1)
	case "ctrl+o":
		m.transcript.Toggle()
	case "esc":
		if !m.transcript.Chosen() {
			return false
		}
		m.transcript.Unchoose()
		return true
	default:
		return false
	}
	m.follow = true
	return true
}

// refuse turns a held answer into text.
func (m *Model) refuse() {
	k := *m.held
	m.held = nil
	m.burst = 1
	if m.focus == toDialog {
		m.give(automatic)
	}
	if k.Text != "" {
		m.editor.Insert(k.Text)
		m.saved = false
	}
	m.tell("Not taken as an answer: other keys came with it, as in a paste. Tab, then the key, answers.")
}

// answer performs a held answer. A form that is not complete gets the next keys.
func (m *Model) answer(k editor.Key) {
	m.held = nil
	if m.dialog == nil {
		return
	}
	request := m.dialog.Answer(k)
	m.send(request)
	if request == nil && m.dialog.Form() {
		m.give(toDialog)
		m.answering = true
	}
}

// give changes where keys go while a request waits.
func (m *Model) give(to focus) { m.focus, m.answering = to, false }

// editorKey handles a key for the editor.
func (m *Model) editorKey(k editor.Key) {
	if m.history.SearchKey(k, &m.editor) {
		m.saved = false
		return
	}
	if m.completions.Key(k, &m.editor) {
		m.saved = false
		m.complete()
		return
	}
	switch k.Name {
	case "enter":
		if m.burst > 0 {
			m.lineEnd()
			return
		}
		m.entered = true
		m.do(After{enterWait, enterDue{m.presses}})
		return
	case "ctrl+g":
		m.do(OpenEditor{m.editor.Text()})
		return
	case "ctrl+d":
		if m.editor.Empty() {
			m.leave()
			return
		}
	case "pgup":
		m.offset += m.height / 2
		return
	case "pgdown":
		m.offset = max(m.offset-m.height/2, 0)
		return
	}
	if m.editor.Key(k) {
		m.saved = false
		m.complete()
		return
	}
	switch k.Name {
	case "up":
		m.history.Up(&m.editor)
	case "down":
		m.history.Down(&m.editor)
	}
	m.saved = false
}

func (m *Model) readOnlyKey(k editor.Key) {
	switch k.Name {
	case "q", "ctrl+d":
		m.leave()
	case "pgup":
		m.offset += m.height / 2
	case "pgdown":
		m.offset = max(m.offset-m.height/2, 0)
	}
}

// paste takes pasted text. It never answers a permission request.
func (m *Model) paste(text string) {
	m.gate.Press(m.now)
	m.lastKey = m.now
	m.presses++
	m.burst = 1 // keys that follow at once are of the paste too, behind an end mark within it
	if m.held != nil {
		m.refuse()
	}
	if m.options.ReadOnly {
		return
	}
	if m.entered {
		m.entered = false
		m.lineEnd()
	}
	if m.dialog != nil && m.dialog.Typing() {
		m.dialog.Paste(text)
		return
	}
	m.editor.Paste(text)
	m.saved = false
	m.complete()
}

// lineEnd inserts the line end of an Enter that sends nothing. A backslash before it is taken away, as when it is typed.
func (m *Model) lineEnd() {
	if !m.editor.Continue() {
		m.editor.Insert("\n")
	}
	m.saved = false
}

// complete asks for completions of the word before the cursor, one question at a time.
func (m *Model) complete() {
	word, wanted := m.completions.Wanted(&m.editor)
	if !wanted {
		m.wanted = ""
		return
	}
	if m.asking == "" && m.wanted != word {
		m.asking, m.wanted = word, word
		m.do(Complete{word})
	}
}
