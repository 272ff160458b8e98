package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"betcode/tests/kit"
)

// page is a page of the portal that shows one session. It reconnects when its socket breaks: with everything from the beginning,
// or behind the last line that it has, in the way of its generation.
type page struct {
	gateways   *gateways
	name       string
	generation int
	session    string
	compose    func(n int, dice *rand.Rand) string // the text of the next prompt; nil = the page sends none
	whole      bool                                // it wants everything from the beginning
	dice       *rand.Rand

	mu      sync.Mutex
	socket  *kit.Page
	shown   []*shown // by connection
	last    string   // time of the newest line
	said    []*typed
	pending *typed // is not confirmed
}

// shown has the frames that a page got on one connection.
type shown struct {
	from  int // so many marks were there before
	marks []string
}

func (g *gateways) newPage(name, session string, compose func(int, *rand.Rand) string) {
	dice := rand.New(rand.NewPCG(g.round.schedule.seed, uint64(200+len(g.pages))))
	p := &page{
		gateways: g, name: name, session: session, compose: compose, dice: rand.New(rand.NewPCG(dice.Uint64(), 1)),
		generation: 1 + dice.IntN(3), whole: dice.IntN(2) == 0,
	}
	g.pages = append(g.pages, p)
}

// follow shows the session until ctx ends.
func (p *page) follow(ctx context.Context) {
	var typing sync.WaitGroup
	if p.compose != nil {
		typing.Go(func() { p.typeAll(ctx) })
	}
	for ctx.Err() == nil {
		p.connect(ctx)
		p.mu.Lock()
		p.socket = nil
		if p.generation < 3 && p.pending != nil { // whether it has arrived is not known, and it cannot be sent again
			p.pending = nil
		}
		p.mu.Unlock()
		pause(ctx, 20*time.Millisecond)
	}
	typing.Wait()
}

// connect opens one connection and reads until it breaks.
func (p *page) connect(ctx context.Context) {
	browser := p.gateways.browser()
	got, after, ok := p.begin(browser)
	if !ok {
		return
	}
	socket, _, err := browser.Open()
	if err != nil {
		return
	}
	defer socket.Close()
	more := map[string]any{"resuming": len(p.shown) > 0}
	if after != "" {
		more["replay_after"] = after
	}
	if socket.Register(p.generation, p.session, more) != nil {
		return
	}
	p.mu.Lock()
	p.socket = socket
	p.shown = append(p.shown, got)
	p.mu.Unlock()
	p.send(p.unconfirmed())
	for {
		_, raw, err := socket.Socket.Read(ctx)
		if err != nil {
			return
		}
		p.frame(raw)
	}
}

// begin decides where a connection begins. Pages of G1 and G2 ask for the messages, and want what comes after the last of them. Those
// of G3 know the time of the last line.
func (p *page) begin(browser *kit.Browser) (got *shown, after string, ok bool) {
	switch {
	case p.whole:
		return &shown{}, "", true
	case p.generation == 3:
		n := 0
		if len(p.shown) > 0 {
			last := p.shown[len(p.shown)-1]
			n = last.from + len(last.marks)
		}
		return &shown{from: n}, p.last, true
	}
	marks, last, err := p.gateways.messages(browser, p.session)
	if err != nil {
		return nil, "", false
	}
	return &shown{marks: marks}, last, true
}

// pageFrame is what pages read of a frame.
type pageFrame struct {
	Type     string            `json:"type"`
	Content  json.RawMessage   `json:"content"`
	Meta     pageMeta          `json:"meta"`
	Messages []json.RawMessage `json:"messages"`
	Entries  []struct {
		Content json.RawMessage `json:"content"`
		Meta    pageMeta        `json:"meta"`
	} `json:"entries"`
	Request string          `json:"request_id"`
	Input   json.RawMessage `json:"input"`
	ID      string          `json:"client_msg_id"`
	Stage   string          `json:"stage"`
	Message string          `json:"message"`
}

type pageMeta struct {
	CreatedAt string `json:"created_at"`
}

// frame takes a frame.
func (p *page) frame(raw []byte) {
	var f pageFrame
	if err := json.Unmarshal(raw, &f); err != nil {
		p.gateways.round.report(otherwise, "%s cannot read %.300s: %v", p.name, raw, err)
		return
	}
	switch f.Type {
	case "ClaudeOutput":
		p.line(f.Content, f.Meta.CreatedAt)
	case "HistoryBatch":
		for _, content := range f.Messages {
			p.line(content, "")
		}
		for _, e := range f.Entries {
			p.line(e.Content, e.Meta.CreatedAt)
		}
	case "PermissionRequest":
		if p.compose != nil { // a page that has answered holds the input lock, and others cannot type
			allow := p.dice.IntN(5) > 0
			p.write(map[string]any{"type": "PermissionResponse", "request_id": f.Request, "allow": allow, "input": f.Input})
		}
	case "InputProgress":
		if f.Stage == "server_received" || f.Stage == "agent_accepted" {
			p.confirm(func(t *typed) bool { return t.id == f.ID })
		}
	case "Error":
		p.gateways.round.note("%s is told: %s", p.name, f.Message)
		p.mu.Lock()
		if p.generation < 3 {
			p.pending = nil // it may be about that
		}
		p.mu.Unlock()
	}
}

// line takes a line of the session.
func (p *page) line(content json.RawMessage, at string) {
	p.mu.Lock()
	now := p.shown[len(p.shown)-1]
	if at != "" {
		p.last = at
	}
	marks := marksOf(content)
	now.marks = append(now.marks, marks...)
	p.mu.Unlock()
	for _, m := range ofKind("u", marks) {
		p.confirm(func(t *typed) bool { return t.mark == m })
	}
}

// unrest describes what the page waits for, when the session has these marks.
func (p *page) unrest(whole []string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	got := &shown{}
	if len(p.shown) > 0 {
		got = p.shown[len(p.shown)-1]
	}
	if p.pending != nil || p.socket == nil || got.from+len(got.marks) < len(whole) {
		return fmt.Sprintf("%s (G%d) has %d of %d marks, waits for %+v", p.name, p.generation, got.from+len(got.marks), len(whole), p.pending)
	}
	return ""
}

// check compares the received lines with the whole, and the sent prompts with those of the session.
func (p *page) check(whole []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, s := range p.shown {
		from := min(s.from, len(whole))
		p.gateways.round.compareMarks(s.marks, whole[from:min(from+len(s.marks), len(whole))], "connection %d of %d of %s (G%d, whole %t)", i+1, len(p.shown), p.name, p.generation, p.whole)
	}
	prompts := ofKind("u", whole)
	for _, t := range p.said {
		n := len(slices.DeleteFunc(slices.Clone(prompts), func(m string) bool { return m != t.mark }))
		switch {
		case n > 1:
			p.gateways.round.report(duplicated, "prompt %q of %s is in its session %d times", t.text, p.name, n)
		case n == 0 && (t.confirmed || p.generation == 3):
			p.gateways.round.report(lost, "prompt %q of %s (G%d), confirmed %t, is not in its session", t.text, p.name, p.generation, t.confirmed)
		}
	}
}
