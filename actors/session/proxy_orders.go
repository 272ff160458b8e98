package session

import (
	"cmp"
	"slices"
	"time"

	"betcode/actors/internal/act"
	"betcode/actors/session/answers"
	"betcode/actors/session/proxied"
	"betcode/messages"
	"betcode/messages/failpoint"
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
	case t.s.ending.Shutdown:
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
		if !t.s.record.Turn {
			t.s.proxy.pace = t.s.proxy.pace.Sent(in.Number, t.now.at)
		}
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
	line, err := answers.Line(p, t.s.can())
	if err != nil { // it was encoded once before the decision was taken
		panic("encode decided answer: " + err.Error())
	}
	told, interrupts, err := proxied.Decision(p.Request, line)
	if err != nil {
		panic("decode encoded answer: " + err.Error())
	}
	if interrupts && t.s.record.Proxy.Abilities.Interrupts {
		t.change().TurnCanceled = true
	}
	return told
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

// errProxyDetached ends a connection whose session is rebuilt. The proxy registers again.
var errProxyDetached = messages.Errorf("serve proxy", messages.Unavailable, "the session's actor is being restarted").
	WithHint("connect again in a moment")

// performProxy carries out what concerns the connection of a proxy. A connection that has ended is not told anything.
func (s *session) performProxy(e act.Effect) {
	switch e := e.(type) {
	case openProxy:
		s.proxies[e.connection] = e.sink
	case sendToProxy:
		failpoint.Hit(failpoint.ProxySend)
		if sink := s.proxies[e.connection]; sink != nil {
			sink.Send(e.event)
		}
	case closeProxy:
		sink := s.proxies[e.connection]
		delete(s.proxies, e.connection)
		if sink == nil {
			return
		}
		if e.last != nil {
			sink.Send(e.last)
		}
		if e.reason == nil {
			sink.Close(nil)
		} else {
			sink.Close(e.reason)
		}
	}
}

// leaveProxies ends the connections when the actor ends.
func (s *session) leaveProxies() {
	for _, sink := range s.proxies {
		sink.Close(errProxyDetached)
	}
	clear(s.proxies)
}
