package ui

import (
	"errors"
	"io"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"betcode/cmd/betcode/internal/chat"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/talk"
)

// Keys and pastes for a session that does not open take bounded memory. Those beyond the bound do
// not reach the list, and earlier ones are kept.
func TestEarlyIsBounded(t *testing.T) {
	for name, typing := range map[string]struct {
		message tea.Msg
		times   int
	}{
		"keys":         {tea.KeyPressMsg{Code: 'd', Text: "d"}, 3 * maxEarlyMessages},
		"pastes":       {tea.PasteMsg{Content: strings.Repeat("x", maxEarlyBytes/10)}, 100},
		"empty pastes": {tea.PasteMsg{}, 3 * maxEarlyMessages},
		"a long paste": {tea.PasteMsg{Content: strings.Repeat("x", maxEarlyBytes+1)}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			p := &program{list: NewModel(false), console: &console.Console{Stdout: io.Discard}}
			await := func() {
				p.await("s", chat.Place{}, func() (talk.Opening, error) { return talk.Opening{}, nil })
				p.Update(tea.KeyPressMsg{Code: 'a', Text: "a"})
			}
			await()
			for range typing.times {
				if _, cmd := p.Update(typing.message); cmd != nil {
					t.Fatal("it does something before the session is open")
				}
			}
			if p.awaited == 0 || p.early.bytes > maxEarlyBytes || len(p.early.messages) > maxEarlyMessages {
				t.Errorf("awaits %d with %d messages of %d bytes", p.awaited, len(p.early.messages), p.early.bytes)
			}
			if !strings.Contains(p.list.said, "the rest is dropped") {
				t.Errorf("it says %q", p.list.said)
			}
			for range 30 {
				p.opened(opened{number: p.awaited, session: "s", err: errors.New("the daemon is busy")})
				await()
				p.Update(tea.PasteMsg{Content: strings.Repeat("y", maxEarlyBytes/10)})
			}
			if kept := p.unsent["s"]; !strings.HasPrefix(kept, "a") || len(kept) > maxEarlyBytes+1 {
				t.Errorf("%d bytes are kept: %.20q", len(kept), kept)
			}
		})
	}
}
