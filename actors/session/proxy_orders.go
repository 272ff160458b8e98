package session

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"betcode/actors/internal/act"
	"betcode/messages"
)

// What a proxy is sent, and how a proxied session ends.

// reconcileProxy sends a connected proxy what it is to have and has not got: messages in order, the decision about its newest
// request, and the interrupt of a turn. Everything is noted in the same append, so that it is known what may have arrived.
func (t *transition) reconcileProxy() {
	switch {
	case !t.s.proxied() || !t.s.active():
		return
	case t.s.endsForGood():
		t.endProxied()
		return
	case t.s.ending.shutdown:
		return
	}
	t.noteInterrupt()
	if t.s.proxy.connection == "" {
		return
	}
	for _, in := range slices.Clone(t.s.inputs) {
		if t.s.doubts(in) { // later messages do not overtake it
			break
		}
		if in.State != messages.InputAccepted || in.Run != 0 {
			continue
		}
		if t.s.paused() {
			break
		}
		in.Run = t.s.record.Run
		t.putInput(in)
		t.sendToProxy(messages.ProxyInput{Number: in.Number, Content: in.Content, Key: in.Key})
	}
	for _, p := range t.s.decidedForProxy() {
		if !p.Sent {
			p.Sent = true
			t.putPermission(p)
			t.sendToProxy(t.proxyDecision(p))
		}
	}
	if p := t.s.record.Proxy; t.s.record.TurnCanceled && p.Abilities.Interrupts && !p.Interrupted {
		p := t.changeProxy()
		p.Interrupted, p.InterruptAt = true, time.Time{}
		t.sendToProxy(messages.ProxyInterrupt{})
	}
}

// proxyDecision is what a proxy is told about a decided request: what the agent itself would be told, always with the input.
func (t *transition) proxyDecision(p messages.PermissionRecord) messages.ProxyDecision {
	line, err := answerLine(p, t.s.can())
	if err != nil { // it was encoded once before the decision was taken
		panic("encode decided answer: " + err.Error())
	}
	var answer struct {
		Response struct {
			Response struct {
				Behavior    string          `json:"behavior"`
				Input       json.RawMessage `json:"updatedInput"`
				Permissions json.RawMessage `json:"updatedPermissions"`
				Message     string          `json:"message"`
				Interrupt   bool            `json:"interrupt"`
			} `json:"response"`
		} `json:"response"`
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		panic("decode encoded answer: " + err.Error())
	}
	a := answer.Response.Response
	if a.Interrupt && t.s.record.Proxy.Abilities.Interrupts {
		t.change().TurnCanceled = true
	}
	return messages.ProxyDecision{Request: p.Request, Allow: a.Behavior == "allow", Input: a.Input, Permissions: a.Permissions, Reason: a.Message}
}

// noteInterrupt keeps the time of an interrupt that waits for a connection, and forgets it with the turn.
func (t *transition) noteInterrupt() {
	p := t.s.record.Proxy
	switch waits := t.s.record.TurnCanceled && !p.Interrupted; {
	case !t.s.record.TurnCanceled && (p.Interrupted || !p.InterruptAt.IsZero()):
		c := t.changeProxy()
		c.Interrupted, c.InterruptAt = false, time.Time{}
	case waits && t.s.proxy.connection == "" && p.InterruptAt.IsZero():
		t.changeProxy().InterruptAt = act.Wall(t.now.at)
	}
}

// endProxied ends the session's run, and with it the session: no proxy can register it again.
func (t *transition) endProxied() {
	p := t.changeProxy()
	p.Ended = cmp.Or(p.Ended, "stopped by a user")
	if connection := t.s.proxy.connection; connection != "" {
		end := closeProxy{connection: connection}
		if p.Abilities.Terminates {
			end.last = messages.ProxyTerminate{Reason: p.Ended}
		}
		t.then(end)
		t.leaveProxy()
	}
	lines, items := t.s.proxy.lines.End(t.now.at)
	t.s.proxy.lines = lines
	for _, item := range items {
		t.item(item)
	}
	t.moveCursor(0)
	t.runEnded(messages.RunEnded{Run: t.s.record.Run, Exit: messages.Exit{Known: true, Reason: p.Ended, At: t.now.at}})
}
