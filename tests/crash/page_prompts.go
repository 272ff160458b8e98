package main

import (
	"context"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/google/uuid"
)

// pagePrompts is the maximum number of prompts of a page.
const pagePrompts = 25

// typed is a prompt.
type typed struct {
	text, mark, id string
	confirmed      bool
}

func (p *page) confirm(is func(*typed) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range p.said {
		t.confirmed = t.confirmed || is(t)
	}
	if p.pending != nil && p.pending.confirmed {
		p.pending = nil
	}
}

// typeAll types one prompt after the other. A page of G3 sends one again, under the same id, until it is confirmed.
func (p *page) typeAll(ctx context.Context) {
	for ctx.Err() == nil {
		pause(ctx, time.Duration(30+p.dice.IntN(300))*time.Millisecond)
		p.mu.Lock()
		if p.pending == nil && p.socket != nil && len(p.said) < pagePrompts && !p.gateways.draining.Load() {
			n := len(p.said)
			t := &typed{text: p.compose(n, p.dice), id: uuid.NewString()}
			t.mark = markPattern.FindString(t.text)
			p.said, p.pending = append(p.said, t), t
		} else if p.generation < 3 || p.pending == nil {
			p.mu.Unlock()
			continue
		}
		t := p.pending
		p.mu.Unlock()
		p.send(t)
	}
}

// unconfirmed returns the prompt that waits; nil for none.
func (p *page) unconfirmed() *typed {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pending
}

// send sends a prompt; nil for none.
func (p *page) send(t *typed) {
	if t != nil {
		p.write(map[string]any{"type": "ClaudeInput", "content": t.text, "client_msg_id": t.id})
	}
}

func (p *page) write(frame any) {
	p.mu.Lock()
	socket := p.socket
	p.mu.Unlock()
	if socket != nil {
		_ = socket.Send(frame) // it may be broken
	}
}

// confirmed returns how many prompts were.
func (p *page) confirmed() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range p.said {
		if t.confirmed {
			n++
		}
	}
	return n
}

// ofAgent composes prompts for the fake agent, and ofForeign for the agents of foreign proxies.
func ofAgent(name string) func(int, *rand.Rand) string {
	return func(n int, dice *rand.Rand) string {
		if dice.IntN(3) == 0 {
			return "run:echo " + mark(name, n)
		}
		return "echo:" + mark(name, n)
	}
}

func ofForeign(name string) func(int, *rand.Rand) string {
	return func(n int, dice *rand.Rand) string {
		return strings.TrimSpace("work on " + mark(name, n) + []string{"", "", " and ask"}[dice.IntN(3)])
	}
}
