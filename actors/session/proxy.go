package session

import (
	"math"
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/session/events"
	"betcode/actors/session/prompts"
	"betcode/actors/session/proxied"
	"betcode/messages"
)

// A proxied session is one whose agent runs elsewhere, under a proxy that connects to the gateway. It differs from others in its
// run: no process is started, adopted, parked or replaced here, so it needs no slot, and the run lasts from the first connection to
// the end of the session. What this file and proxy_*.go do takes the place of the actor of a run.
//
// The session sends a proxy nothing by itself in a handler: [transition.reconcileProxy] compares what the proxy should have with
// what it was sent, at the end of each step.

// proxyView is what a session knows of its proxy until its actor ends.
type proxyView struct {
	lines      proxied.Lines // as of t.s.cursor
	connection string        // of the proxy; empty = none
	doubtful   uint64        // messages up to this number may have arrived on an earlier connection
	pace       proxied.Pace  // of the agent
}

// echoPatience is how long an agent without a turn has to repeat a message that its proxy has acknowledged.
const echoPatience = time.Minute

// echoDue is the timer's message at the end of that time.
type echoDue struct {
	connection string
	number     uint64 // of the newest message then
}

// repeatDue is the timer's message at the end of the time that an agent has to repeat messages that may have arrived.
type repeatDue struct{ connection string }

// changeProxy returns the record of the proxy, to be changed.
func (t *transition) changeProxy() *messages.ProxyRecord {
	t.putProxy(*t.s.record.Proxy)
	return t.s.record.Proxy
}

// putProxy replaces the record of the proxy.
func (t *transition) putProxy(p messages.ProxyRecord) { t.change().Proxy = &p }

// moveCursor appends how far the lines of the proxy are taken.
func (t *transition) moveCursor(lines int64) {
	from := t.s.cursor.Offset
	t.s.cursor = messages.Cursor{
		Run: t.s.record.Run, Offset: from + lines, Translator: t.s.proxy.lines.Translator(), Lines: t.s.proxy.lines.Ledger(),
	}
	cursor := t.s.cursor
	t.append.SpoolFrom, t.append.Cursor, t.dirty = from, &cursor, true
}

// nextProxyInput returns the number of a new message toward the proxy, 0 without one.
func (t *transition) nextProxyInput() uint64 {
	if !t.s.proxied() {
		return 0
	}
	p := t.changeProxy()
	p.Inputs++
	return p.Inputs
}

// sendToProxy sends something to the connected proxy once everything so far is durable.
func (t *transition) sendToProxy(e messages.ProxyEvent) {
	t.then(sendToProxy{t.s.proxy.connection, e})
}

// leaveProxy notes that no proxy is connected.
func (t *transition) leaveProxy() {
	t.s.proxy.connection = ""
	t.s.proxy.pace = t.s.proxy.pace.Interrupted()
	t.changeProxy().Connected = false
}

// notifyConnection shows the attached streams whether the proxy is connected. It is not history: proxies come and go.
func (t *transition) notifyConnection(code, message string) {
	details := map[string]string{}
	if host := t.s.record.Proxy.Host; host != "" {
		details["host"] = host
	}
	t.publishUnnumbered(events.Notice(code, message, details))
}

// notProxied refuses the request of a proxy to which the session does not belong.
func (t *transition) notProxied(from *actor.PID, op string) {
	t.then(act.Reply{To: from, With: proxied.NotFound(op, t.s.id)})
	t.maybeRetire()
}

// ownedBy reports whether the session is proxied and registered by an owner.
func (s *state) ownedBy(owner string) bool { return s.proxied() && s.record.Proxy.Owner == owner }

// registeredBy reports whether the session belongs to the owner of a proxy. Before tokens that the daemon's user makes for
// proxies belonged to the user, each token owned its sessions.
func (s *state) registeredBy(m messages.ConnectProxy) bool {
	return s.ownedBy(m.Owner) || m.Owner == "" && m.Token != "" && s.ownedBy(m.Token)
}

// decidedForProxy lists the requests whose decision the proxy has not confirmed.
func (s *state) decidedForProxy() []messages.PermissionRecord {
	return s.prompts.List(func(p messages.PermissionRecord) bool { return prompts.Decided(p) && !p.Own() })
}

// recoverProxied continues a proxied session from the journal. The connection of its proxy was lost with the daemon or the actor.
func (t *transition) recoverProxied() {
	lines, err := proxied.Load(t.s.cursor)
	if err != nil {
		panic("lines of a proxied session: " + err.Error())
	}
	t.s.proxy.lines = lines
	t.s.agent.working = lines.InTurn()
	if t.s.record.Proxy.Connected {
		t.changeProxy().Connected = false
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

// expireInterrupt drops an interrupt that has waited too long for a connection.
func (t *transition) expireInterrupt() {
	if proxied.InterruptExpired(*t.s.record.Proxy, t.now.at) {
		t.change().TurnCanceled = false
		t.notice("INTERRUPT_EXPIRED", "The proxy was not connected in time, so the turn was not interrupted. Cancel it again if it still runs: betcode session cancel", nil)
	}
}

// expectEcho sets the timer for messages that the proxy has acknowledged, if there are any.
func (t *transition) expectEcho() {
	if t.s.proxy.connection != "" && len(proxied.Acknowledged(t.s.inputs, math.MaxUint64)) > 0 {
		t.then(act.After{Delay: echoPatience, Message: echoDue{t.s.proxy.connection, t.s.record.Proxy.Inputs}})
	}
}

// doubts reports whether a message may have arrived on an earlier connection.
func (s *state) doubts(in messages.InputRecord) bool { return proxied.Doubtful(in, s.proxy.doubtful) }

// expectRepeat sets the timer for messages that may have arrived, if there are any.
func (t *transition) expectRepeat() {
	if i := slices.IndexFunc(t.s.inputs, t.s.doubts); i >= 0 && t.s.proxy.connection != "" {
		t.then(act.After{Delay: t.s.proxy.pace.Wait(t.s.inputs[i].Number), Message: repeatDue{t.s.proxy.connection}})
	}
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
			t.then(act.Reply{To: from, With: proxied.Ended(t.s.id, p.Ended)})
			return true
		}
	case messages.CancelTurn:
		if again, changed := proxied.RepeatInterrupt(*p, t.s.record.TurnCanceled); interruptible && changed {
			t.putProxy(again)
		}
	case messages.GetAbilities:
		t.then(act.Reply{To: from, With: messages.Abilities{}})
		return true
	}
	refusal := proxied.Refuse(m, interruptible)
	if refusal != nil {
		t.then(act.Reply{To: from, With: refusal.Err(t.s.id)})
	}
	return refusal != nil
}
