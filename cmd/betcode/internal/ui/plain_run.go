package ui

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/lookback"
	"betcode/cmd/betcode/internal/talk"
)

// RunPlain is the list of sessions line by line, until the person leaves: no cursor moves, nothing is drawn again, and commands
// are words and Enter. A session that is opened is a conversation line by line. All sessions go on.
func RunPlain(ctx context.Context, c *console.Console, cl *client.Client, o Options) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	keys := talk.OpenKeyboard(c)
	defer keys.Close()
	p := &plainRun{console: c, asks: asks{ctx, cl}, options: o, keys: keys, plain: NewPlain(), listings: make(chan sessions, 1)}
	defer p.asking.Wait()
	defer cancel()
	defer func() {
		if p.looked {
			err = cmp.Or(err, lookback.Note(o.State, time.Now()))
		}
	}()
	interrupts, release := c.OnInterrupt()
	defer release()
	p.away()
	p.ask(0)
	for {
		var lines []string
		var effect Effect
		select {
		case l := <-p.listings:
			lines = p.plain.Listed(time.Now(), l.list, l.err)
			p.ask(seen)
		case line, ok := <-keys.Lines():
			if !ok {
				return nil
			}
			p.prompting = false // Enter has ended its line
			lines, effect = p.plain.Line(time.Now(), line.Text())
		case <-interrupts:
			p.print("")
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
		p.print(lines...)
		if _, leaves := effect.(Quit); leaves {
			return nil
		}
		if err := p.perform(effect); err != nil {
			p.print(reason(err))
		}
		if p.plain.list.read && !p.prompting {
			keys.Prompt(c.Stdout, "> ")
			p.prompting = true
		}
	}
}

// plainRun is one run of the list line by line.
type plainRun struct {
	asks
	console   *console.Console
	options   Options
	keys      *talk.Keyboard
	plain     *Plain
	listings  chan sessions
	asking    sync.WaitGroup
	prompting bool // the prompt is the last line
	looked    bool // the digest was printed, or there is none
}

// ask asks for the list after a while, in the background.
func (p *plainRun) ask(after time.Duration) {
	p.asking.Go(func() {
		select {
		case <-time.After(after):
		case <-p.ctx.Done():
			return
		}
		p.listings <- p.list() // it has room: one question is on its way at a time
	})
}

// away prints the digest and stores its time.
func (p *plainRun) away() {
	if p.options.State == "" {
		return
	}
	now := time.Now()
	since, before := lookback.Last(p.options.State, now)
	d, err := p.digest(since)
	if err != nil {
		return
	}
	if text := digestText(d, before); text != "" {
		p.print(text + ".")
	}
	p.looked = true
}

// print prints lines below the prompt.
func (p *plainRun) print(lines ...string) {
	if len(lines) > 0 && p.prompting {
		fmt.Fprintln(p.console.Stdout)
		p.prompting = false
	}
	for _, line := range lines {
		fmt.Fprintln(p.console.Stdout, line)
	}
}

// perform performs the effect of a command.
func (p *plainRun) perform(e Effect) error {
	switch e := e.(type) {
	case Open:
		o, err := p.opening(e.Session)
		if err != nil {
			return err
		}
		if e.At > 0 { // earlier history is not printed again
			o.Start.FromSequence = e.At - 1
		}
		return p.talk(o)
	case Begin:
		o, err := p.options.New()
		if err != nil {
			return err
		}
		return p.talk(o)
	case Command:
		p.print(p.run(e))
	case Search:
		found := p.search(e.Query)
		if found.err != nil {
			return found.err
		}
		p.print(p.plain.Found(time.Now(), found.found)...)
	case ShowPlans:
		found := p.plans()
		if found.err != nil {
			return found.err
		}
		p.print(planLines(found.plans)...)
	}
	return nil
}

// talk is a conversation until the person comes back.
func (p *plainRun) talk(o talk.Opening) error {
	err := talk.Chat(p.ctx, p.console, p.client, o, talk.ChatOptions{Keys: p.keys})
	p.print("Back in the list.")
	return err
}
