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
	"github.com/google/uuid"

	"betcode/cmd/betcode/internal/chat/drafts"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/talk"
)

// batch bounds how many events are handed over at once, and frame how often.
const (
	batch = 512
	frame = time.Second / 60
)

// RunOptions say how a chat is run.
type RunOptions struct {
	talk.ChatOptions
	Drafts string // directory of drafts and histories
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
	kept := openDrafts(c, options.Drafts, o, conv.Session())
	p := &program{
		console: c, client: cl, conv: conv, kept: kept,
		model: New(Options{
			Style: console.Style(c.Terminal.Colour), Verbose: options.Verbose, ReadOnly: options.ReadOnly, Session: conv.Session(),
			Head: o.Head, NewKey: uuid.NewString, History: kept.entries, Restored: kept.restored, Exact: kept.exact,
		}),
	}
	ctx, cancel := context.WithCancel(ctx)
	p.ctx = ctx
	p.tea = tea.NewProgram(p, tea.WithContext(ctx), tea.WithInput(c.Stdin), tea.WithOutput(c.Stdout))
	var pump sync.WaitGroup
	pump.Go(func() { p.pump(first) })
	_, err = p.tea.Run()
	cancel()
	conv.Close()
	pump.Wait()
	p.background.Wait()
	for _, row := range p.model.Rest() {
		fmt.Fprintln(c.Stdout, row)
	}
	if kept := kept.close(); kept != nil {
		c.Say("%v", kept)
	}
	if p.ended != nil && !p.model.leaving {
		return talk.Ended(p.ended, conv.Session())
	}
	if err != nil && !errors.Is(err, tea.ErrProgramKilled) && !errors.Is(err, tea.ErrInterrupted) {
		return fmt.Errorf("run chat: %w", err)
	}
	if !p.model.editor.Empty() {
		c.Say("What you had typed is kept for the next chat here.")
	}
	talk.Left(c, conv)
	return nil
}

// change makes a change of settings. It returns the items that came before the daemon's answer.
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

// program joins the model with Bubble Tea, the conversation and the files.
type program struct {
	ctx     context.Context
	console *console.Console
	client  *client.Client
	conv    *client.Conversation
	kept    *kept
	tea     *tea.Program
	model   *Model
	ended   error // why the conversation ended

	background sync.WaitGroup // writes to the history
	commands   commandList
}

// over says that the conversation has ended.
type over struct{ err error }

// pump hands items to the program in batches, until the conversation ends.
func (p *program) pump(first Items) {
	if len(first) > 0 {
		p.tea.Send(first)
	}
	Pump(p.conv, func(items Items) { p.tea.Send(items) })
	p.tea.Send(over{p.conv.Err()})
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
func (p *program) Init() tea.Cmd {
	return tea.Batch(tea.RequestBackgroundColor, p.perform(p.model.Step(time.Now(), Tick{})))
}

// Update implements tea.Model.
func (p *program) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	if o, ok := message.(over); ok {
		p.ended = o.err
		return p, tea.Quit
	}
	if translated := Translate(message); translated != nil {
		message = translated
	}
	return p, p.perform(p.model.Step(time.Now(), message))
}

// View implements tea.Model.
func (p *program) View() tea.View {
	rows, row, column := p.model.Frame(time.Now())
	v := tea.NewView(strings.Join(rows, "\n"))
	v.ReportFocus = true
	if row >= 0 {
		v.Cursor = tea.NewCursor(column, row)
		v.Cursor.Shape, v.Cursor.Blink = tea.CursorBar, false
	}
	return v
}

// kept is the files of a chat. Without them the chat works, and says so.
type kept struct {
	entries  []string
	restored drafts.Saved
	exact    bool
	dir      string
	history  *drafts.History
	draft    *drafts.Draft
}

func openDrafts(c *console.Console, dir string, o talk.Opening, session string) *kept {
	k := &kept{exact: o.Start.GetSessionId() != "", dir: dir}
	if dir == "" || o.Start.GetObserver() {
		return k
	}
	store, err := drafts.Open(dir)
	if err == nil {
		k.history = store.History(o.Directory)
		k.entries, err = k.history.Load()
	}
	if err == nil {
		k.draft, k.restored, err = store.Draft(o.Directory, session, k.exact)
	}
	if err != nil {
		c.Say("What you type is not kept: %v", err)
	}
	return k
}

func (k *kept) close() error {
	if k.draft == nil {
		return nil
	}
	return k.draft.Close()
}
