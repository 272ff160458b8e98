package chat

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/talk"
)

// batch is the maximum number of events that are passed on at once, frame the minimum interval.
const (
	batch = 512
	frame = time.Second / 60
)

// RunOptions configure a chat on the terminal.
type RunOptions struct {
	talk.ChatOptions
	Drafts string // directory of drafts and histories
	Screen bool   // see [Options]
}

// Suits reports whether a chat with an editor is possible: a person is at a terminal that can move its cursor.
func Suits(c *console.Console) bool {
	_, in := c.Stdin.(*os.File)
	_, out := c.Stdout.(*os.File)
	return in && out && c.Terminal.In && c.Terminal.Out && c.Attended() && os.Getenv("TERM") != "dumb"
}

// Run is a conversation on the terminal until the person leaves. The session goes on. A change of settings comes first: nothing is
// sent until the daemon has made it, and a refusal ends the chat.
func Run(ctx context.Context, c *console.Console, cl *client.Client, o talk.Opening, options RunOptions) error {
	conv := cl.Converse(ctx, client.ConverseOptions{Start: o.Start})
	defer conv.Close()
	first, err := change(conv, o)
	if err != nil {
		return err
	}
	p := &program{shell: Open(ctx, c, cl, conv, o, options)}
	if p.shell.Warning != nil {
		c.Say("What you type is not kept: %v", p.shell.Warning)
	}
	p.tea = tea.NewProgram(p, tea.WithContext(ctx), tea.WithInput(c.Stdin), tea.WithOutput(c.Stdout))
	var pump sync.WaitGroup
	pump.Go(func() { p.pump(first) })
	_, err = p.tea.Run()
	kept := p.shell.Close()
	pump.Wait()
	m := p.shell.Model
	for _, row := range m.Rest() {
		fmt.Fprintln(c.Stdout, row)
	}
	if kept != nil {
		c.Say("%v", kept)
	}
	if p.ended != nil && !m.leaving {
		return talk.Ended(p.ended, conv.Session())
	}
	if err != nil && !errors.Is(err, tea.ErrProgramKilled) && !errors.Is(err, tea.ErrInterrupted) {
		return fmt.Errorf("run chat: %w", err)
	}
	if !m.editor.Empty() {
		c.Say("What you had typed is kept for the next chat here.")
	}
	talk.Left(c, conv)
	return nil
}

// change sends a change of settings. It returns the items before the daemon's answer.
func change(conv *client.Conversation, o talk.Opening) (Items, error) {
	if o.Changes == nil {
		return nil, nil
	}
	var first Items
	var change talk.SettingsChange
	change.Send(conv, o.Changes)
	for change.Pending() {
		item, open := <-conv.Items()
		if !open {
			return nil, talk.Ended(conv.Err(), conv.Session())
		}
		answered, err := change.Take(item)
		if err != nil {
			return nil, err
		}
		if !answered {
			first = append(first, item)
		}
	}
	return first, nil
}

// program joins a shell with Bubble Tea.
type program struct {
	shell *Shell
	tea   *tea.Program
	ended error // why the conversation ended
}

// over reports the end of the conversation.
type over struct{ err error }

// pump passes items to the program in batches, until the conversation ends.
func (p *program) pump(first Items) {
	if len(first) > 0 {
		p.tea.Send(first)
	}
	Pump(p.shell.Conversation, func(items Items) { p.tea.Send(items) })
	p.tea.Send(over{p.shell.Conversation.Err()})
}

// Pump calls deliver with the items of a conversation until it ends: at most so often as a screen is drawn.
func Pump(conv *client.Conversation, deliver func(Items)) {
	for item := range conv.Items() {
		items := Items{item}
		deadline := time.NewTimer(frame)
	collect:
		for len(items) < batch {
			select {
			case item, open := <-conv.Items():
				if !open {
					break collect
				}
				items = append(items, item)
			case <-deadline.C:
				break collect
			}
		}
		deadline.Stop()
		deliver(items)
	}
}

// Init implements tea.Model.
func (p *program) Init() tea.Cmd { return p.step(Tick{}) }

// Update implements tea.Model.
func (p *program) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	if o, ok := message.(over); ok {
		p.ended = o.err
		return p, tea.Quit
	}
	if translated := Translate(message); translated != nil {
		message = translated
	}
	return p, p.step(message)
}

func (p *program) step(message any) tea.Cmd {
	answers, others, leave := p.shell.Perform(p.shell.Model.Step(time.Now(), message))
	if leave {
		others = append(others, tea.Quit)
	}
	return tea.Batch(append(answers, others...)...)
}

// View implements tea.Model.
func (p *program) View() tea.View {
	rows, row, column := p.shell.Model.Frame(time.Now())
	v := tea.NewView(strings.Join(rows, "\n"))
	v.ReportFocus = true
	v.Cursor = Cursor(row, column)
	return v
}

// Cursor returns a cursor at a place; none for a negative row.
func Cursor(row, column int) *tea.Cursor {
	if row < 0 {
		return nil
	}
	c := tea.NewCursor(column, row)
	c.Shape, c.Blink = tea.CursorBar, false
	return c
}
