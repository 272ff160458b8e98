package ui

import "betcode/cmd/betcode/internal/chat"

const (
	maxEarlyMessages = 4096
	maxEarlyBytes    = 1 << 20
)

// early has the keys and pastes for a session that is not open yet. It is bounded.
type early struct {
	messages []any // chat.Press and chat.Paste
	bytes    int
}

// add keeps a key or a paste. It reports whether there was room.
func (e *early) add(message any) bool {
	size := 1
	switch m := message.(type) {
	case chat.Press:
		size = len(m.Text)
	case chat.Paste:
		size = len(m)
	}
	if len(e.messages) >= maxEarlyMessages || e.bytes+size > maxEarlyBytes {
		return false
	}
	e.messages, e.bytes = append(e.messages, message), e.bytes+size
	return true
}

// keepEarly keeps a key or a paste for the session that is being opened. Without room it is dropped, and not
// given to the list, where a letter is a command.
func (p *program) keepEarly(message any) {
	if !p.early.add(message) {
		p.say("too much was typed before the session is open: the rest is dropped")
	}
}
