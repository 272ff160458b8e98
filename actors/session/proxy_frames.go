package session

import (
	"slices"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/actors/session/prompts"
	"betcode/actors/session/proxied"
	"betcode/messages"
)

// Frames from a proxy. The events of its lines, the ledger of the lines and the translator's state are one append; the
// answer, on which the gateway acknowledges the lines, follows the commit.

// takeProxyFrames takes what a proxy has sent, if the connection is the newest.
func (t *transition) takeProxyFrames(from *actor.PID, m messages.TakeProxyFrames) {
	if !t.s.proxied() || m.Connection == "" || t.s.proxy.connection != m.Connection {
		t.then(act.Reply{To: from, With: t.staleConnection()})
		t.maybeRetire()
		return
	}
	var taken messages.ProxyFramesTaken
	lines, turn := int64(0), t.s.record.Turn
	var items []claude.Item
	for _, frame := range m.Frames {
		switch f := frame.(type) {
		case messages.ProxyLine:
			if f.Counted {
				taken.Seq, taken.Counted = f.Seq, true
			}
			if found, fresh := t.proxyLine(f); fresh {
				lines++
				items = append(items, found...)
			}
		case messages.ProxyAsked:
			t.proxyAsked(f)
		case messages.ProxyInputTaken:
			t.proxyInputTaken(f)
		case messages.ProxyDecisionTaken:
			if p, ok := t.s.prompts.Find(f.Request); ok && prompts.Decided(p) && p.Sent {
				t.removePermission(f.Request)
			}
		case messages.ProxyFacts:
			t.changeProxy().Facts = f
		}
	}
	if lines > 0 {
		t.moveCursor(lines)
	}
	t.used = t.used || t.outputIsUse(turn, items)
	t.then(act.Reply{To: from, With: taken})
}

// staleConnection is the error of a connection that is not the session's.
func (t *transition) staleConnection() *messages.Error {
	if t.s.proxied() && t.s.record.Proxy.Ended != "" {
		return proxied.Ended(t.s.id, t.s.record.Proxy.Ended)
	}
	return proxied.Stale(t.s.id)
}

// proxyLine takes a line, unless the session has it.
func (t *transition) proxyLine(f messages.ProxyLine) (items []claude.Item, fresh bool) {
	lines, taken := t.s.proxy.lines.Take(f, proxied.Unrepeated(t.s.inputs), t.now.at)
	t.s.proxy.lines = lines
	switch {
	case taken.Known:
		return nil, false
	case taken.Echo != "":
		t.repeatedByAgent(taken.Echo)
		return nil, true
	}
	t.activity(taken.Items...)
	for _, item := range taken.Items {
		if proxied.OfHost(item) {
			continue
		}
		t.item(item)
		if ended, ok := item.(claude.TurnEnded); ok && !ended.MemoryGone {
			t.proxiedTurnEnded()
		}
	}
	return taken.Items, true
}

// proxyAsked takes a permission request, unless the session has had it. The proxy forgets its earlier requests, so no answer
// can reach them.
func (t *transition) proxyAsked(f messages.ProxyAsked) {
	known, ok := t.s.prompts.Find(f.Request)
	next, fresh := proxied.Asked(*t.s.record.Proxy, f)
	if ok && !known.Own() || !fresh {
		return
	}
	t.putProxy(next)
	for _, p := range t.s.prompts.List(prompts.Every) {
		if p.Own() {
			continue
		}
		if !p.Sent { // otherwise the agent most likely has the answer, and the confirmation is under way
			t.permissionNotice("PERMISSION_SUPERSEDED", "The proxy forgot this request when its agent made another one, so no answer can reach the agent. "+
				"If the agent waits for it, interrupt the turn: betcode session cancel", p)
		}
		t.withdraw(p.Request, "proxy")
	}
	lines, items := t.s.proxy.lines.Ask(f, t.now.at)
	t.s.proxy.lines = lines
	t.activity(items...)
	for _, item := range items {
		t.item(item)
	}
	t.moveCursor(0)
}

// proxyInputTaken notes that the proxy, or its agent, has messages.
func (t *transition) proxyInputTaken(f messages.ProxyInputTaken) {
	lost, changed := proxied.TakenBy(t.s.inputs, f, t.s.record.Proxy.Abilities.AcknowledgesFromAgent)
	for _, in := range changed {
		in.Run = t.s.record.Run
		t.putInput(in)
	}
	for _, in := range lost {
		t.loseInput(in, "The agent cannot get this message")
	}
	t.expectEcho()
}

// repeatedByAgent notes that the agent has a message. Proxies and agents keep the order, so an earlier message that the proxy has
// acknowledged and the agent has not repeated will not come any more.
func (t *transition) repeatedByAgent(key string) {
	in, ok := t.s.inputs.Find(key)
	if !ok {
		return
	}
	t.s.proxy.pace = t.s.proxy.pace.Repeated(in.Number, t.now.at)
	in.State, in.Run = messages.InputFolded, t.s.record.Run
	t.putInput(in)
	t.loseAcknowledged(in.Number - 1)
}

// loseAcknowledged gives up messages up to a number that a proxy has acknowledged and its agent has not repeated.
func (t *transition) loseAcknowledged(number uint64) {
	for _, in := range proxied.Acknowledged(t.s.inputs, number) {
		t.loseInput(in, "The proxy acknowledged this message, and its agent never repeated it")
	}
}

// loseInput reports a message as lost. It is not sent again by itself: no proxy recognises a message that it has had.
func (t *transition) loseInput(in messages.InputRecord, why string) {
	t.notice("INPUT_LOST", why+". Send it again if it is still wanted.", map[string]string{"idempotency_key": in.Key})
	t.inputDone(in.Key)
	t.becomeIdle()
}

// echoLate gives up messages that an agent without a turn has not repeated. While a turn runs they may wait in the agent's queue.
func (t *transition) echoLate(m echoDue) {
	if t.s.proxied() && m.connection == t.s.proxy.connection && !t.s.record.Turn {
		t.loseAcknowledged(m.number)
	}
}

// repeatLate sends messages again that may have arrived on an earlier connection: an agent without a turn would have repeated them.
// While a turn runs they may wait in the agent's queue.
func (t *transition) repeatLate(m repeatDue) {
	if !t.s.proxied() || m.connection == "" || m.connection != t.s.proxy.connection || t.s.record.Turn {
		return
	}
	for _, in := range slices.Clone(t.s.inputs) {
		if t.s.doubts(in) {
			in.Run = 0
			t.putInput(in)
		}
	}
	t.s.proxy.doubtful = 0
}

// proxiedTurnEnded ends what belonged to the turn: no request waits any more, and messages that the agent has not repeated get a
// last deadline.
func (t *transition) proxiedTurnEnded() {
	for _, p := range t.s.prompts.List(prompts.Every) {
		if !p.Own() {
			t.withdraw(p.Request, "agent")
		}
	}
	t.expectEcho()
	t.expectRepeat()
}
