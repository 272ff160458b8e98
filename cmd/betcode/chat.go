package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/exit"
	pb "betcode/proto/betcode/v1"
)

func (p *program) chatCommand() *cli.Command {
	return &cli.Command{
		Name: "chat", Usage: "talk to the agent, line by line",
		Description: chatHelp,
		Flags: append(sessionFlags(),
			&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "show thinking, subagents and processes too"}),
		Action: func(c *cli.Context) error {
			if err := arguments(c, 0, 0); err != nil {
				return err
			}
			cl, _, err := p.connect(c.Context, c)
			if err != nil {
				return err
			}
			defer cl.Close()
			o, err := p.open(c.Context, c, cl)
			if err != nil {
				return err
			}
			return p.converse(c.Context, cl, o, c.Bool("verbose"), false)
		},
	}
}

const chatHelp = `A line is a message; end it with \ to go on in the next, or paste several. While
something waits for you, a line is the answer to it, if you typed it after the
question was shown; pasted text never allows a tool.

  /cancel        interrupt the turn (Ctrl-C does the same)
  /allow         answer a permission request, as y does; also /always and /deny TEXT
  /say TEXT      send a message although something waits for an answer
  /lock          ask for the input lock; only its holder may write
  /release       give the input lock to the client that waits for it
  /refuse        keep the input lock although another client asks for it
  /model NAME    change the model
  /mode NAME     change the permission mode
  /quit          leave; the session goes on (Ctrl-D, or Ctrl-C twice)
  /help          this

Other lines that begin with / are commands of the agent's own, for example /compact.`

// converse is a conversation on the terminal, until the person leaves. The session
// goes on.
func (p *program) converse(ctx context.Context, cl *client.Client, o opening, verbose, readOnly bool) error {
	conv := cl.Converse(ctx, client.ConverseOptions{Start: o.start})
	defer conv.Close()
	if change := o.settingsRequest(); change != nil {
		conv.Send(change)
	}
	chat := newChat(p.Stdout, p.Terminal, o.head, verbose, readOnly)
	keys := p.openKeyboard()
	defer keys.close()
	chat.keys = keys
	lines := keys.lines
	interrupts, release := p.OnInterrupt()
	defer release()
	locks := make(chan func(), 1) // what became of a wish for the input lock
	asking, stopAsking := context.WithCancel(ctx)
	var asked sync.WaitGroup
	defer asked.Wait()
	defer stopAsking()
	chat.begin()
	for {
		var did reaction
		typed := lines
		if !chat.wantsLine() {
			typed = nil
		}
		select {
		case item, ok := <-conv.Items():
			if !ok {
				chat.render.endLine()
				return p.conversationEnded(conv.Err(), conv.Session())
			}
			switch {
			case item.Outage != nil:
				chat.hidePrompt()
				p.tellOutage(item.Outage)
				chat.showPrompt()
			case item.Lost != nil:
				p.Say("The daemon was away: what you asked for last did not reach it.")
			default:
				chat.event(item.Event)
			}
		case line, ok := <-typed:
			if !ok {
				lines = nil
				if p.Terminal.In {
					did.leave = true
				} else if !readOnly {
					conv.CloseSend() // go on until everything is answered
				}
				break
			}
			did = chat.entered(line)
		case <-interrupts:
			keys.discard()
			did = chat.interrupt()
		case tell := <-locks:
			tell()
		case <-ctx.Done():
			return ctx.Err()
		}
		for _, request := range did.send {
			conv.Send(request)
		}
		if did.say != "" {
			chat.said(conv.Say(did.say))
		}
		if did.lock {
			asked.Go(func() {
				r, err := cl.Agent.RequestInputLock(asking, &pb.InputLockRequest{SessionId: conv.Session()})
				select {
				case locks <- func() { chat.lockAnswered(r, err) }:
				case <-asking.Done():
				}
			})
		}
		if did.leave {
			chat.render.endLine()
			p.left(conv)
			return nil
		}
	}
}

// conversationEnded explains why a conversation cannot go on. That it was closed
// by the daemon is no error: everything was said.
func (p *program) conversationEnded(err error, session string) error {
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case client.Unreachable(err):
		return exit.With(exit.Connection, fmt.Errorf("the daemon went away. The session is kept: start a daemon, then 'betcode session attach %s'", session))
	}
	return err
}
