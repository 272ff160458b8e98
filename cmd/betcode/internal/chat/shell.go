package chat

import (
	"context"
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

// Shell performs the effects of a [Model]: it owns the conversation, the draft, and their background work.
type Shell struct {
	Conversation *client.Conversation
	Model        *Model
	Warning      error // why typed text is not stored

	ctx        context.Context
	cancel     context.CancelFunc
	client     *client.Client
	dir        string
	history    *drafts.History // nil: nothing is kept
	draft      *drafts.Draft
	background sync.WaitGroup // writes to the history
	commands   commandList
}

// Open begins a conversation and takes over what an ended terminal has left. conv may be a conversation that exists; nil opens
// one. The caller calls Close.
func Open(ctx context.Context, c *console.Console, cl *client.Client, conv *client.Conversation, o talk.Opening, options RunOptions) *Shell {
	ctx, cancel := context.WithCancel(ctx)
	if conv == nil {
		conv = cl.Converse(ctx, client.ConverseOptions{Start: o.Start})
	}
	s := &Shell{Conversation: conv, ctx: ctx, cancel: cancel, client: cl, dir: options.Drafts}
	m := Options{
		Style: console.Style(c.Terminal.Colour), Verbose: options.Verbose, ReadOnly: options.ReadOnly, TakeLock: options.TakeLock, Screen: options.Screen,
		Session: conv.Session(), Client: cl.ID(), Head: o.Head, NewKey: uuid.NewString, Exact: o.Start.GetSessionId() != "",
	}
	if s.dir != "" && !options.ReadOnly {
		s.Warning = s.keep(o.Directory, &m)
	}
	s.Model = New(m)
	return s
}

// keep opens the files.
func (s *Shell) keep(directory string, m *Options) error {
	store, err := drafts.Open(s.dir)
	if err != nil {
		return err
	}
	s.history = store.History(directory)
	if m.History, err = s.history.Load(); err != nil {
		return err
	}
	s.draft, m.Restored, err = store.Draft(directory, m.Session, m.Exact)
	return err
}

// Close ends the conversation. The session goes on. It returns the first error of a write.
func (s *Shell) Close() error {
	s.cancel()
	s.Conversation.Close()
	s.background.Wait()
	if s.draft == nil {
		return nil
	}
	return s.draft.Close()
}

// Perform performs the effects of a step. An effect that blocks becomes a command, which Bubble Tea runs in a goroutine: answers
// has those whose message is for the model, others those for the terminal. leave reports whether the person leaves.
func (s *Shell) Perform(effects []Effect) (answers, others []tea.Cmd, leave bool) {
	for _, e := range effects {
		switch e := e.(type) {
		case Send:
			s.Conversation.Send(e.Request)
		case Save:
			if s.draft != nil {
				s.draft.Save(e.Draft)
			}
		case Remember:
			s.remember(e.Text)
		case Leave:
			leave = true
		case Suspend:
			others = append(others, tea.Suspend)
		case Notify:
			others = append(others, tea.Raw(notification(e.Text)))
		case Print:
			others = append(others, tea.Sequence(tea.Println(strings.Join(e.Rows, "\n")), func() tea.Msg { return Printed{} }))
		case OpenEditor:
			others = append(others, openEditor(s.dir, e.Text))
		default:
			if cmd := s.ask(e); cmd != nil {
				answers = append(answers, cmd)
			}
		}
	}
	return answers, others, leave
}

// remember writes to the history in the background.
func (s *Shell) remember(text string) {
	if s.history == nil {
		return
	}
	now := time.Now()
	s.background.Go(func() {
		_ = s.history.Add(text, now) // the message itself is in the journal
	})
}
