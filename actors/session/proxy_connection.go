package session

import (
	"path/filepath"
	"strconv"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/session/events"
	"betcode/actors/session/proxied"
	"betcode/messages"
)

// How a proxied session begins, and how its proxies come and go.

// interruptPatience is how long an interrupt waits for a proxy that is not connected.
const interruptPatience = 5 * time.Minute

// connectProxy begins a connection, and the session if there is none.
func (t *transition) connectProxy(from *actor.PID, m messages.ConnectProxy) {
	const op = "register proxied session"
	if t.s.exists && !t.s.ownedBy(m.Owner) || t.s.deleting() {
		t.noSuchSession(from, op)
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
		t.then(closeProxy{connection: before, reason: messages.Errorf("serve proxy", messages.Aborted, "the proxy has connected again").
			With("session_id", string(t.s.id)).WithHint("end one of the proxies if two of them serve this session")})
	}
	t.s.proxy.connection = m.Connection
	t.s.proxy.pace = t.s.proxy.pace.Interrupted()
	p := t.changeProxy()
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
	t.audit(messages.AuditEntry{Type: messages.AuditSessionCreated, ActorType: messages.ActorUser, Context: map[string]string{
		"proxy_host": m.Host, "proxy_version": m.Version, "token": m.Owner,
	}})
	t.putRun(messages.RunRecord{
		Format: runFormat, Session: t.s.id, Run: 1, State: messages.RunRunning, StartedAt: t.now.at,
		Directory: filepath.Join(t.s.runsDirectory(), strconv.Itoa(1)), // never made: its output is in the journal alone
	})
	t.s.proxy.lines = proxied.Lines{}
	t.moveCursor(0)
}

// refuseConnection ends the connection to a session that has ended. A proxy that obeys is told so, any other is refused.
func (t *transition) refuseConnection(from *actor.PID, m messages.ConnectProxy, ended string) {
	if m.Abilities.Terminates {
		t.then(openProxy{m.Connection, m.Sink}, act.Reply{To: from, With: messages.ProxyConnected{Resumed: true}},
			closeProxy{connection: m.Connection, last: messages.ProxyTerminate{Reason: ended}})
	} else {
		t.then(act.Reply{To: from, With: proxiedEnded(t.s.id, ended)})
	}
	t.maybeRetire()
}

// doubtSent decides what becomes of what was sent on an earlier connection and is not acknowledged. Messages wait for the agent: no
// proxy recognises one that it has had. A decision that may have arrived is sent again only to a proxy that ignores a late one.
func (t *transition) doubtSent() {
	t.s.proxy.doubtful = proxied.NewestSent(t.s.inputs)
	for _, p := range t.s.decidedForProxy() {
		switch {
		case !p.Sent:
		case t.s.record.Proxy.Abilities.IgnoresLateDecisions:
			p.Sent = false
			t.putPermission(p)
		default:
			t.permissionNotice("DECISION_UNCERTAIN", "The connection ended while the decision was sent, and this proxy must not get it twice. "+
				"If the agent still waits, interrupt the turn: betcode session cancel", p)
			t.removePermission(p.Request)
		}
	}
}

// expireInterrupt drops an interrupt that has waited too long for a connection: the turn is another one by now, most likely.
func (t *transition) expireInterrupt() {
	at := t.s.record.Proxy.InterruptAt
	if at.IsZero() || t.s.record.Proxy.Interrupted {
		return
	}
	if t.now.at.Sub(at) > interruptPatience {
		t.change().TurnCanceled = false
		t.notice("INTERRUPT_EXPIRED", "The proxy was not connected in time, so the turn was not interrupted. Cancel it again if it still runs: betcode session cancel", nil)
	}
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

// replaceProxied ends a session whose place another one takes.
func (t *transition) replaceProxied(from *actor.PID, m messages.ReplaceProxied) {
	if !t.s.exists || !t.s.ownedBy(m.Owner) || t.s.deleting() {
		t.noSuchSession(from, "replace session")
		return
	}
	if t.s.active() {
		t.notice("SESSION_REPLACED", "The agent goes on in another session", map[string]string{"session_id": string(m.By)})
		t.changeProxy().Ended = "replaced by session " + string(m.By)
		t.stopRun()
	}
	t.then(act.Reply{To: from, With: messages.Done{}})
}

// refusedByProxy refuses what makes no sense for an agent under a proxy. Every other request is served as for any session.
func (t *transition) refusedByProxy(from *actor.PID, m any) bool {
	if !t.s.proxied() || t.s.deleting() {
		return false
	}
	p := t.s.record.Proxy
	interruptible := !t.s.record.Turn && !t.s.agentHasInput() || p.Abilities.Interrupts
	switch m.(type) {
	case messages.SendInput:
		if p.Ended != "" {
			t.then(act.Reply{To: from, With: proxiedEnded(t.s.id, p.Ended)})
			return true
		}
	case messages.CancelTurn:
		if interruptible {
			t.repeatInterrupt()
		}
	case messages.GetAbilities:
		t.then(act.Reply{To: from, With: messages.Abilities{}})
		return true
	}
	refusal := proxied.Refuse(m, interruptible)
	if refusal != nil {
		t.then(act.Reply{To: from, With: refusal.Told(t.s.id)})
	}
	return refusal != nil
}

// repeatInterrupt has an interrupt sent again that a person repeats: the first may have been lost with a connection.
func (t *transition) repeatInterrupt() {
	if t.s.record.TurnCanceled && t.s.record.Proxy.Interrupted {
		t.changeProxy().Interrupted = false
	}
}
