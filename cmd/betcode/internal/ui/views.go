package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"betcode/cmd/betcode/internal/chat"
	"betcode/cmd/betcode/internal/chat/editor"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/talk"
)

// view is an opened session.
type view struct {
	shell    *chat.Shell
	unfolded bool
}

// step passes a message to an opened session and performs its effects.
func (p *program) step(v *view, message any) tea.Cmd {
	if v == nil {
		return nil
	}
	session := v.shell.Model.Session()
	answers, others, leave := v.shell.Perform(v.shell.Model.Step(time.Now(), message))
	for _, cmd := range answers {
		others = append(others, func() tea.Msg { return answer{session, cmd()} })
	}
	if leave {
		p.close(v)
	}
	return tea.Batch(others...)
}

func (p *program) find(session string) *view {
	for _, v := range p.views {
		if v.shell.Model.Session() == session {
			return v
		}
	}
	return nil
}

// say shows a short message on the present page.
func (p *program) say(text string) {
	switch {
	case p.plansOpen != nil:
		p.plansOpen.Say(text)
	case p.found != nil:
		p.found.Say(text)
	default:
		p.list.Say(text)
	}
}

// show opens a session if needed, and shows it at a place of its history.
func (p *program) show(session string, at chat.Place) tea.Cmd {
	if v := p.find(session); v != nil {
		p.open = v
		v.shell.Model.Show(at)
		p.views = append(slices.DeleteFunc(p.views, func(o *view) bool { return o == v }), v)
		return p.step(v, chat.Opened{})
	}
	return p.await(session, at, func() (talk.Opening, error) { return p.opening(session) })
}

// await asks how a session is attached to, in the background. The session is empty for a new one.
func (p *program) await(session string, at chat.Place, ask func() (talk.Opening, error)) tea.Cmd {
	p.openings++
	p.awaited, p.early = p.openings, early{}
	number := p.awaited
	return func() tea.Msg {
		o, err := ask()
		return opened{number, session, o, at, err}
	}
}

// opened attaches to a session.
func (p *program) opened(o opened) tea.Cmd {
	if o.number != p.awaited {
		return nil // the person went elsewhere
	}
	typed := p.early
	p.awaited, p.early = 0, early{}
	if o.err != nil {
		p.say(reason(o.err) + p.keepUnsent(o.session, typed))
		return nil
	}
	if v := p.find(o.opening.Start.GetSessionId()); v != nil {
		p.open = v
		v.shell.Model.Show(o.at)
		return tea.Batch(p.step(v, chat.Opened{}), p.typed(v, typed), p.restoreUnsent(o.session, v, typed))
	}
	if len(p.views) >= maxOpen {
		p.close(p.views[0])
	}
	v := &view{shell: chat.Open(p.ctx, p.console, p.client, nil, o.opening, chat.RunOptions{Drafts: p.options.Drafts, Screen: true})}
	v.shell.Model.Show(o.at)
	p.views, p.open = append(p.views, v), v
	session := v.shell.Model.Session()
	p.pumps.Go(func() {
		chat.Pump(v.shell.Conversation, func(items chat.Items) { p.tea.Send(answer{session, items}) })
		if err := v.shell.Conversation.Err(); p.ctx.Err() == nil && !errors.Is(err, context.Canceled) {
			p.tea.Send(over{session, err})
		}
	})
	return tea.Batch(p.step(v, p.size()), p.step(v, chat.Tick{}), p.typed(v, typed), p.restoreUnsent(o.session, v, typed))
}

// waits reports whether a key is for the session that is being opened: all but those that lead away.
func (p *program) waits(k editor.Key) bool {
	if p.awaited == 0 {
		return false
	}
	if k.Name == "esc" || k.Name == "ctrl+c" {
		p.awaited, p.early = 0, early{}
		return false
	}
	return true
}

// typed passes a session the keys that were typed before it was open. They answer nothing, because no request is on the
// screen yet.
func (p *program) typed(v *view, e early) tea.Cmd {
	var cmds []tea.Cmd
	for _, message := range e.messages {
		cmds = append(cmds, p.step(v, message))
	}
	return tea.Batch(cmds...)
}

// close detaches from a session. Its draft is kept.
func (p *program) close(v *view) {
	p.views = slices.DeleteFunc(p.views, func(o *view) bool { return o == v })
	if p.open == v {
		p.open = nil
	}
	p.pumps.Go(func() { _ = v.shell.Close() }) // the draft is in its file already
}

// title is the row above a session: its name, where it works, and what waits elsewhere.
func (p *program) title(v *view) string {
	s := console.Style(p.console.Terminal.Colour)
	parts := []string{s.Dim("Esc ‹ ") + s.Bold("session "+console.ShortID(v.shell.Model.Session()))}
	if known := p.list.Session(v.shell.Model.Session()); known != nil {
		parts[0] = s.Dim("Esc ‹ ") + s.Bold(console.Shorten(title(known), 40))
		parts = append(parts, console.Line(known.GetWorkingDirectory()))
	}
	waiting := 0
	for _, r := range p.list.rows {
		if r.state.Name == "waiting" && r.session.GetId() != v.shell.Model.Session() {
			waiting++
		}
	}
	if waiting > 0 {
		parts = append([]string{s.Yellow(fmt.Sprintf("%d more need you: Ctrl-N", waiting))}, parts...)
	}
	return ansi.Truncate(strings.Join(parts, s.Dim(" · ")), max(p.width-1, 10), "…")
}
