package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync"
	"time"
)

// ownerPrompts is the maximum number of prompts of the client of the agent socket.
const ownerPrompts = 20

// owner is a client of the agent socket that has a session: it types one prompt after the other and answers requests. Its
// [watcher] attaches and compares. The protocol has no acknowledgement of a prompt; the agent's text is one.
type owner struct {
	gateways *gateways
	session  string
	dice     *rand.Rand

	mu      sync.Mutex
	conn    net.Conn // nil = not attached
	said    []*typed
	pending *typed // the agent has not answered it, on this connection
}

func newOwner(g *gateways, session string) *owner {
	return &owner{gateways: g, session: session, dice: rand.New(rand.NewPCG(g.round.schedule.seed, 301))}
}

// attach gives the owner a connection, until leave is called.
func (o *owner) attach(conn net.Conn) (leave func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.conn = conn
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.conn, o.pending = nil, nil // whether the prompt has arrived is not known
	}
}

// line takes a line.
func (o *owner) line(raw string) {
	var l struct{ Type, RequestID, Text, Error string }
	_ = json.Unmarshal([]byte(raw), &l) // the watcher reports it
	switch l.Type {
	case "permission_request":
		behavior := "allow"
		if o.dice.IntN(5) == 0 {
			behavior = "deny"
		}
		o.send(map[string]any{"type": "permission_response", "sessionId": o.session, "requestId": l.RequestID, "behavior": behavior})
	case "assistant_text":
		o.mu.Lock()
		for _, t := range o.said {
			t.confirmed = t.confirmed || strings.Contains(l.Text, t.mark)
		}
		if o.pending != nil && o.pending.confirmed {
			o.pending = nil
		}
		o.mu.Unlock()
	case "result", "error":
		if l.Type == "error" {
			o.gateways.round.note("the owner got an error: %s", l.Error)
		}
		o.mu.Lock()
		o.pending = nil // a denied prompt has no text
		o.mu.Unlock()
	}
}

func (o *owner) send(m map[string]any) {
	o.mu.Lock()
	conn := o.conn
	o.mu.Unlock()
	if raw, err := json.Marshal(m); err == nil && conn != nil {
		_, _ = conn.Write(append(raw, '\n')) // it may be broken
	}
}

// typeAll types until ctx ends.
func (o *owner) typeAll(ctx context.Context) {
	for ctx.Err() == nil {
		pause(ctx, time.Duration(50+o.dice.IntN(300))*time.Millisecond)
		o.mu.Lock()
		if o.pending != nil || o.conn == nil || len(o.said) >= ownerPrompts || o.gateways.draining.Load() {
			o.mu.Unlock()
			continue
		}
		t := &typed{text: ofAgent("socket")(len(o.said), o.dice)}
		t.mark = markPattern.FindString(t.text)
		o.said, o.pending = append(o.said, t), t
		o.mu.Unlock()
		o.send(map[string]any{"type": "send_prompt", "sessionId": o.session, "prompt": t.text})
	}
}

// unrest describes what the owner waits for.
func (o *owner) unrest() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.conn == nil || o.pending != nil {
		return fmt.Sprintf("the owner is attached %t and waits for %+v", o.conn != nil, o.pending)
	}
	return ""
}

// confirmed returns how many prompts the agent has answered.
func (o *owner) confirmed() (n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, t := range o.said {
		if t.confirmed {
			n++
		}
	}
	return n
}

// check compares the sent prompts with those of the session.
func (o *owner) check(prompts []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, t := range o.said {
		switch n := len(slices.DeleteFunc(slices.Clone(prompts), func(m string) bool { return m != t.mark })); {
		case n > 1:
			o.gateways.round.report(duplicated, "prompt %q of the agent socket is in its session %d times", t.text, n)
		case n == 0 && t.confirmed:
			o.gateways.round.report(lost, "prompt %q of the agent socket was answered and is not in its session", t.text)
		}
	}
}
