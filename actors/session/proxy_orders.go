package session

import (
	"cmp"
	"path/filepath"
	"strconv"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/internal/process"
	"betcode/actors/session/answers"
	"betcode/actors/session/audit"
	"betcode/actors/session/events"
	"betcode/actors/session/proxied"
	"betcode/messages"
)

// The beginning and the end of a proxied session, the connections of its proxies, and what is sent to them.

// connectProxy begins a connection, and the session if there is none.
func (t *transition) connectProxy(from *actor.PID, m messages.ConnectProxy) {
	const op = "register proxied session"
	if t.s.exists && !t.s.registeredBy(m) || t.s.deleting() {
		t.notProxied(from, op)
		return
	}
	if !t.s.exists && !t.roomFor(from, op) {
		return
	}
	resumed := t.s.exists
	if !resumed {
		t.createProxied(m)
	}
	if ended := t.s.record.Proxy.Ended; ended != "" {
		t.refuseConnection(from, m, ended)
		return
	}
	if before := t.s.proxy.connection; before != "" {
		t.then(closeProxy{connection: before, reason: proxied.Replaced(t.s.id)})
	}
	t.s.proxy.connection = m.Connection
	t.s.proxy.pace = t.s.proxy.pace.Interrupted()
	p := t.changeProxy()
	p.Owner = m.Owner
	p.Host, p.Version, p.Agent, p.Facts, p.Abilities, p.Connected = m.Host, m.Version, m.Agent, m.Facts, m.Abilities, true
	t.change().WorkingDirectory = m.WorkingDirectory
	t.doubtSent()
	t.expireInterrupt()
	t.expectEcho()
	t.expectRepeat()
	t.notifyConnection("PROXY_CONNECTED", "The proxy is connected")
	t.then(openProxy{m.Connection, m.Sink}, act.Reply{To: from, With: messages.ProxyConnected{Resumed: resumed}})
}

// createProxied makes the session and its only run.
func (t *transition) createProxied(m messages.ConnectProxy) {
	t.s.exists, t.used = true, true
	t.s.record = messages.SessionRecord{
		ID: t.s.id, Name: m.Name, WorkingDirectory: m.WorkingDirectory, Phase: messages.PhaseNew, CreatedAt: t.now.at, Run: 1,
		Proxy: &messages.ProxyRecord{Owner: m.Owner},
	}
	t.s.record.Budget.Limit = t.s.options.SessionBudget
	t.s.record.Budget.Step = t.s.record.Budget.Limit
	t.emit(events.Session(t.s.record, t.s.options.Lineage, false))
	t.audit(audit.Registered(m))
	t.putRun(messages.RunRecord{
		Format: process.Format, Session: t.s.id, Run: 1, State: messages.RunRunning, StartedAt: t.now.at,
		Directory: filepath.Join(t.s.runsDirectory(), strconv.Itoa(1)), // never made: its output is in the journal alone
	})
	t.s.proxy.lines = proxied.Lines{}
	t.moveCursor(0)
}

// refuseConnection ends the connection to a session that has ended: with a stop for a proxy that obeys it, with a refusal otherwise.
func (t *transition) refuseConnection(from *actor.PID, m messages.ConnectProxy, ended string) {
	if m.Abilities.Terminates {
		t.then(openProxy{m.Connection, m.Sink}, act.Reply{To: from, With: messages.ProxyConnected{Resumed: true}},
			closeProxy{connection: m.Connection, last: messages.ProxyTerminate{Reason: ended}})
	} else {
		t.then(act.Reply{To: from, With: proxied.Ended(t.s.id, ended)})
	}
	t.maybeRetire()
}

// disconnectProxy ends a connection. Everything else stays as it is.
func (t *transition) disconnectProxy(from *actor.PID, m messages.DisconnectProxy) {
	if t.s.proxied() && m.Connection != "" && t.s.proxy.connection == m.Connection {
		t.leaveProxy()
		t.then(closeProxy{connection: m.Connection})
		t.notifyConnection("PROXY_DISCONNECTED", "The proxy is not connected; messages and decisions wait for it")
	}
	t.then(act.Reply{To: from, With: messages.Done{}})
	t.maybeRetire()
}

// reconcileProxy sends a connected proxy what it does not have yet: messages in order, the decision about its newest
// request, and the interrupt of a turn. The same append records everything that is sent, so the next daemon knows what may have arrived.
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
	if p, changed := proxied.NoteInterrupt(*t.s.record.Proxy, t.s.record.TurnCanceled, t.s.proxy.connection != "", act.Wall(t.now.at)); changed {
		t.putProxy(p)
	}
	if t.s.proxy.connection == "" {
		return
	}
	if !t.s.paused() {
		t.sendProxyInputs()
	}
	for _, p := range t.s.decidedForProxy() {
		if !p.Sent {
			p.Sent = true
			t.putPermission(p)
			t.sendToProxy(t.proxyDecision(p))
		}
	}
	if p, sent := proxied.SendInterrupt(*t.s.record.Proxy, t.s.record.TurnCanceled); sent {
		t.putProxy(p)
		t.sendToProxy(messages.ProxyInterrupt{})
	}
}

// sendProxyInputs sends the messages that are due.
func (t *transition) sendProxyInputs() {
	for _, in := range proxied.Due(t.s.inputs, t.s.proxy.doubtful) {
		in.Run = t.s.record.Run
		t.putInput(in)
		if !t.s.record.Turn {
			t.s.proxy.pace = t.s.proxy.pace.Sent(in.Number, t.now.at)
		}
		t.sendToProxy(messages.ProxyInput{Number: in.Number, Content: in.Content, Key: in.Key})
	}
}

// proxyDecision returns the decision about a request for a proxy: as the agent itself would get it, always with the input.
func (t *transition) proxyDecision(p messages.PermissionRecord) messages.ProxyDecision {
	line, err := answers.Line(p, t.s.can())
	if err != nil { // impossible: it was encoded before the decision was accepted
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

// replaceProxied ends a session that another one replaces.
func (t *transition) replaceProxied(from *actor.PID, m messages.ReplaceProxied) {
	if !t.s.exists || !t.s.ownedBy(m.Owner) || t.s.deleting() {
		t.notProxied(from, "replace session")
		return
	}
	if t.s.active() {
		t.notice("SESSION_REPLACED", "The agent goes on in another session", map[string]string{"session_id": string(m.By)})
		t.changeProxy().Ended = "replaced by session " + string(m.By)
		t.stopRun()
	}
	t.then(act.Reply{To: from, With: messages.Done{}})
}
