package ui

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"betcode/cmd/betcode/internal/chat"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/talk"
	pb "betcode/proto/betcode/v1"
)

// The screen keeps typed text for a session that cannot be opened, reports that, and puts it into
// the editor when the session opens, without sending it.
func TestTypedForSessionThatFails(t *testing.T) {
	for name, session := range map[string]string{"a session": "s", "a new one": ""} {
		t.Run(name, func(t *testing.T) {
			p := &program{list: NewModel(false), console: &console.Console{Stdout: io.Discard}}
			begin := func() { p.await(session, chat.Place{}, func() (talk.Opening, error) { return talk.Opening{}, nil }) }
			types := func(keys string) {
				for _, r := range keys {
					k := tea.KeyPressMsg{Code: r, Text: string(r)}
					if r == '\r' {
						k = tea.KeyPressMsg{Code: tea.KeyEnter}
					}
					p.Update(k)
				}
			}
			fails := func() string {
				p.opened(opened{number: p.awaited, session: session, err: errors.New("the daemon is busy")})
				return p.list.said
			}
			begin()
			if said := fails(); said != "the daemon is busy" {
				t.Errorf("nothing was typed, and it says %q", said)
			}
			begin()
			types("look at this\r")
			p.Update(tea.PasteMsg{Content: "two\nlines"})
			if said := fails(); !strings.HasPrefix(said, "the daemon is busy; what you typed is kept ") {
				t.Errorf("it says %q", said)
			}
			begin()
			types("again")
			fails()

			v := &view{shell: &chat.Shell{Model: chat.New(chat.Options{Session: "s", Screen: true, NewKey: func() string { return "k" }})}}
			p.views = []*view{v}
			begin()
			p.opened(opened{number: p.awaited, session: session, opening: talk.Opening{Start: &pb.StartConversation{SessionId: "s"}}})
			rows, _, _ := v.shell.Model.Frame(time.Now())
			shown := strings.Join(rows, "\n")
			for _, want := range []string{"look at this", "two", "lines", "again"} {
				if !strings.Contains(shown, want) {
					t.Errorf("%q is not in\n%s", want, shown)
				}
			}
			if len(p.unsent) > 0 {
				t.Errorf("kept twice: %q", p.unsent)
			}
		})
	}
}

// Keys and pastes become the text of an editor, with what Enter would have sent.
func TestTextOf(t *testing.T) {
	typed := early{messages: []any{
		chat.Press{Text: "a", Name: "a"},
		chat.Press{Text: "b", Name: "b"},
		chat.Press{Name: "backspace"},
		chat.Press{Name: "enter"},
		chat.Paste("long\n" + strings.Repeat("x", 5000)),
		chat.Press{Name: "enter"},
	}}
	if got, want := textOf(typed), "a\nlong\n"+strings.Repeat("x", 5000); got != want {
		t.Errorf("%.40q", got)
	}
	if got := textOf(early{messages: []any{chat.Press{Name: "enter"}, chat.Press{Name: "up"}}}); got != "" {
		t.Errorf("%q", got)
	}
}
