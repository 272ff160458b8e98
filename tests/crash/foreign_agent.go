package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"betcode/tests/foreignproxy"
)

// foreignAsk is a permission request of an agent.
type foreignAsk struct {
	answers int
	allow   bool
	input   string
	by      *foreignAgent
}

// foreignAgent is the agent of one incarnation of the proxy.
type foreignAgent struct {
	of         *foreign
	asking     string // the request that waits; empty = none
	registered int    // connections when it asked
	queue      []string
	later      bool      // there was another one
	went       time.Time // when it went on
	tired      bool      // it has given a request up, and asks no more: an answer to the former may be under way
}

// Start implements [foreignproxy.Agent].
func (a *foreignAgent) Start(context.Context, *foreignproxy.Proxy) error { return nil }

// Interrupt implements [foreignproxy.Agent].
func (a *foreignAgent) Interrupt(*foreignproxy.Proxy) {}

// Prompt implements [foreignproxy.Agent].
func (a *foreignAgent) Prompt(p *foreignproxy.Proxy, text string) {
	a.of.mu.Lock()
	defer a.of.mu.Unlock()
	if a.of.agent != a {
		return // it has ended
	}
	a.queue = append(a.queue, text)
	if a.asking == "" {
		a.next(p)
	}
}

// next begins turns until one waits for an answer. The caller holds mu.
func (a *foreignAgent) next(p *foreignproxy.Proxy) {
	for len(a.queue) > 0 && a.asking == "" {
		text := a.queue[0]
		a.queue = a.queue[1:]
		a.of.given[text]++
		a.begin(p)
		p.Say(foreignproxy.UserLine(text))
		a.speak(p, 1+a.of.dice.IntN(4))
		if !strings.Contains(text, "ask") || a.tired && a.of.generation == 1 {
			p.Say(foreignproxy.ResultLine("done"))
			continue
		}
		id := fmt.Sprintf("%s-%d", a.of.name, len(a.of.asked))
		input := fmt.Sprintf(`{"command":"echo %s"}`, id)
		a.of.asked[id] = &foreignAsk{input: input, by: a}
		a.asking, a.registered = id, p.Seen().Registered
		p.Ask(id, "Bash", json.RawMessage(input), nil)
	}
}

// begin begins a turn. The caller holds mu.
func (a *foreignAgent) begin(p *foreignproxy.Proxy) {
	p.Say(map[string]any{"type": "system", "subtype": "init", "session_id": a.of.session, "model": "opus", "cwd": "/on/another/machine", "tools": []any{}})
}

// speak writes lines with marks. The caller holds mu.
func (a *foreignAgent) speak(p *foreignproxy.Proxy, lines int) {
	for range lines {
		m := mark(a.of.name, len(a.of.lines))
		a.of.lines = append(a.of.lines, m)
		line := foreignproxy.AssistantLine("line " + m).(map[string]any)
		line["message"].(map[string]any)["id"] = "msg-" + m
		p.Say(line)
	}
}

// finish ends the turn that has asked. The caller holds mu.
func (a *foreignAgent) finish(p *foreignproxy.Proxy) {
	a.asking = ""
	a.speak(p, 1)
	p.Say(foreignproxy.ResultLine("done"))
	a.next(p)
}

// Answer implements [foreignproxy.Agent].
func (a *foreignAgent) Answer(p *foreignproxy.Proxy, answer foreignproxy.Answer) {
	a.of.mu.Lock()
	defer a.of.mu.Unlock()
	ask := a.of.asked[answer.Request]
	if ask == nil {
		a.of.gateways.round.report(otherwise, "%s is answered %q, for which nobody has asked", a.of.name, answer.Request)
		return
	}
	if ask.answers++; ask.answers > 1 {
		a.of.gateways.round.report(duplicated, "request %s is answered %d times", answer.Request, ask.answers)
	}
	ask.allow = answer.Allow
	if answer.Allow && string(answer.Input) != ask.input {
		a.of.gateways.round.report(otherwise, "request %s is allowed with the input %s, and was about %s", answer.Request, answer.Input, ask.input)
	}
	if a.of.agent == a && a.asking == answer.Request {
		a.finish(p)
	}
}
