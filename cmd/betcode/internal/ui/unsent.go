package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"betcode/cmd/betcode/internal/chat"
	"betcode/cmd/betcode/internal/chat/editor"
)

// unsent has the typed text for sessions that could not be opened, by the requested name; empty for a new one.
type unsent map[string]string

// maxUnsent is the maximum number of sessions for which the screen keeps typed text.
const maxUnsent = 32

// keepUnsent keeps the typed text for a session that could not be opened, and returns a message about it.
func (p *program) keepUnsent(session string, typed early) string {
	text := textOf(typed)
	if text == "" {
		return ""
	}
	before, again := p.unsent[session]
	if again && len(before)+len(text) > maxEarlyBytes {
		return "; what you typed before is kept, and this is not: it is too much"
	}
	if again {
		text = before + "\n" + text
	}
	if p.unsent == nil || !again && len(p.unsent) >= maxUnsent {
		p.unsent = unsent{}
	}
	p.unsent[session] = text
	if session == "" {
		return "; what you typed is kept for the next new session"
	}
	return "; what you typed is kept until it opens"
}

// restoreUnsent puts the kept text of a session into its editor. It does not send it.
func (p *program) restoreUnsent(session string, v *view, typed early) tea.Cmd {
	text, ok := p.unsent[session]
	if !ok {
		return nil
	}
	delete(p.unsent, session)
	if textOf(typed) != "" { // it may be in the editor still
		text = "\n" + text
	}
	return p.step(v, chat.Paste(text))
}

// textOf returns what keys and pastes leave in an editor, with all messages that they would have sent.
func textOf(typed early) string {
	var e editor.Editor
	for _, message := range typed.messages {
		switch message := message.(type) {
		case chat.Press:
			if message.Name == "enter" {
				e.Insert("\n")
			} else {
				e.Key(editor.Key(message))
			}
		case chat.Paste:
			e.Insert(string(message))
		}
	}
	return strings.TrimSpace(e.Text())
}
