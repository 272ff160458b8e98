package talk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	pb "betcode/proto/betcode/v1"
)

// ChatHelp lists what can be typed in a chat.
const ChatHelp = `A line is a message; end it with \ to continue in the next, or paste several. While
a request or a question waits, a line is the answer to it, if you typed it after it
was shown; pasted text never allows a tool.

  /cancel        interrupt the turn (Ctrl-C does the same)
  /allow         answer a permission request, as y does; also /always and /deny TEXT
  /say TEXT      send a message although something waits for an answer
  /lock          ask for the input lock; only its holder may write
  /release       pass the input lock to the client that waits for it
  /refuse        keep the input lock although another client asks for it
  /model NAME    change the model
  /mode NAME     change the permission mode
  /quit          leave; the session goes on (also Ctrl-D, or Ctrl-C twice)
  /help          show this

Other lines that begin with / are commands of the agent's own, for example /compact.`

// ChatOptions configure a chat.
type ChatOptions struct {
	Verbose  bool // show thinking, subagents and processes too
	ReadOnly bool // only watch
	TakeLock bool // ask for the input lock if another client holds it

	// Keys is the keyboard of the caller, to whom /quit leads back; nil: the chat has its own.
	Keys *Keyboard
}

// Chat is a conversation on the terminal until the person leaves. The session goes on. A change of settings comes first: no typed
// line is sent until the daemon has applied it, and a refusal ends the chat. A message from a pipe or a file that the daemon
// refuses is shown, and gives the chat its exit code.
func Chat(ctx context.Context, c *console.Console, cl *client.Client, o Opening, options ChatOptions) error {
	s := &chatting{console: c, client: cl, conv: cl.Converse(ctx, client.ConverseOptions{Start: o.Start}), readOnly: options.ReadOnly, takeLock: options.TakeLock}
	defer s.conv.Close()
	if o.Changes != nil {
		s.change.Send(s.conv, o.Changes)
	}
	s.chat = newChat(c.Stdout, c.Terminal, o.Head, options.Verbose, options.ReadOnly)
	s.chat.render.As(cl.ID())
	keys := options.Keys
	if keys == nil {
		keys = OpenKeyboard(c)
		defer keys.Close()
	}
	s.within = options.Keys != nil
	s.chat.keys, s.lines = keys, keys.lines
	interrupts, release := c.OnInterrupt()
	defer release()
	s.locks = make(chan func(), 1)
	asking, stopAsking := context.WithCancel(ctx)
	defer s.asked.Wait()
	defer stopAsking()
	s.chat.begin()
	for {
		var did reaction
		lines := s.lines
		if !s.chat.wantsLine() || s.change.Pending() || !c.Terminal.In && (s.takeLock || s.lockAsked) {
			lines = nil
		}
		select {
		case item, ok := <-s.conv.Items():
			if !ok {
				s.chat.render.EndLine()
				return cmp.Or(Ended(s.conv.Err(), s.conv.Session()), s.chat.end())
			}
			if err := s.item(asking, item); err != nil {
				s.chat.render.EndLine()
				return err
			}
		case line, ok := <-lines:
			did = s.line(line, ok)
		case <-interrupts:
			keys.discard()
			did = s.chat.interrupt()
		case show := <-s.locks:
			s.lockAsked = false
			show()
		case <-ctx.Done():
			return ctx.Err()
		}
		if s.react(asking, did) {
			return s.chat.end()
		}
	}
}

// chatting is one chat: a conversation and the state of the screen.
type chatting struct {
	console  *console.Console
	client   *client.Client
	conv     *client.Conversation
	chat     *chat
	change   SettingsChange
	readOnly bool
	within   bool        // a list of sessions surrounds the chat
	lines    <-chan Line // nil after the end of input

	takeLock  bool        // the lock is to be requested when the stream is attached
	lockAsked bool        // the answer to a request for the lock is on its way
	locks     chan func() // shows the answer
	asked     sync.WaitGroup
}

// item shows an event, or what happened to the connection.
func (s *chatting) item(ctx context.Context, item client.Item) error {
	if s.change.Pending() {
		answered, err := s.change.Take(item)
		if err != nil || answered {
			return err
		}
	}
	switch {
	case item.Outage != nil:
		s.chat.hidePrompt()
		reportOutage(s.console, item.Outage)
		s.chat.showPrompt()
	case item.Lost != nil:
		s.console.Say("The daemon did not answer: your last request did not reach it.")
	default:
		s.chat.event(item.Event)
		if s.takeLock && item.Event.GetLock() != nil { // the stream is attached
			s.takeLock = false
			s.requestLock(ctx)
		}
		if due := s.chat.inbox.Due(item.Event); due != nil {
			s.conv.Send(due)
		}
	}
	return nil
}

// line takes a line, or the end of input.
func (s *chatting) line(l Line, ok bool) reaction {
	if ok {
		return s.chat.entered(l)
	}
	s.lines = nil
	if s.console.Terminal.In {
		return reaction{leave: true}
	}
	if !s.readOnly {
		s.conv.CloseSend() // the chat goes on until everything is answered
	}
	return reaction{}
}

// react performs a reaction. It reports whether the person leaves.
func (s *chatting) react(ctx context.Context, did reaction) (leaves bool) {
	for _, request := range did.send {
		s.conv.Send(request)
	}
	if did.say != "" {
		s.chat.said(s.conv.SendMessage(did.say))
	}
	if did.lock {
		s.requestLock(ctx)
	}
	if did.leave {
		s.chat.render.EndLine()
		if !s.within {
			Left(s.console, s.conv)
		}
	}
	return did.leave
}

// requestLock asks for the input lock. Its goroutine ends with the chat.
func (s *chatting) requestLock(ctx context.Context) {
	s.lockAsked = true
	s.asked.Go(func() {
		r, err := s.client.Agent.RequestInputLock(ctx, &pb.InputLockRequest{SessionId: s.conv.Session()})
		select {
		case s.locks <- func() { s.chat.lockAnswered(r, err) }:
		case <-ctx.Done():
		}
	})
}

// Ended returns the error with which a conversation ended. It is nil if the daemon closed it after everything was
// answered.
func Ended(err error, session string) error {
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case client.Unreachable(err):
		return exit.With(exit.Connection, fmt.Errorf("the daemon stopped answering. The session is kept: start a daemon, then 'betcode session attach %s'", session))
	}
	return err
}
