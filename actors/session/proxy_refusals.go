package session

import (
	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/messages"
)

// refusedByProxy refuses what makes no sense for an agent under a proxy. Every other request is served as for any session.
func (t *transition) refusedByProxy(from *actor.PID, m any) bool {
	if !t.s.proxied() || t.s.deleting() {
		return false
	}
	var op, why, hint string
	switch m := m.(type) {
	case messages.RestartSession:
		op, why, hint = "restart session", "the daemon does not run its agent", "restart the proxy on its machine"
	case messages.ContinueSession:
		op, why, hint = "resume session", "the daemon does not run its agent", "send a message instead"
	case messages.ChangeSettings:
		op, why, hint = "change settings", "the daemon does not run its agent", "start the proxy with other options"
	case messages.SetGrant, messages.ClearGrants:
		op, why, hint = "change grants", "each request of its agent goes to a person", "answer the requests: betcode permission list"
	case messages.BeginSubagent, messages.SendToSubagent, messages.CancelSubagent:
		op, why, hint = "direct subagent", "it cannot be a subagent", "spawn another session as the subagent"
	case messages.SendInput:
		switch {
		case t.s.record.Proxy.Ended != "":
			t.then(act.Reply{To: from, With: proxiedEnded(t.s.id, t.s.record.Proxy.Ended)})
			return true
		case len(m.Attachments) == 0:
			return false
		}
		op, why, hint = "send input", "its proxy takes no attachments", "send the message without attachments"
	case messages.CancelTurn:
		if !t.s.record.Turn && !t.s.agentHasInput() || t.s.record.Proxy.Abilities.Interrupts {
			t.repeatInterrupt()
			return false
		}
		op, why, hint = "cancel turn", "its proxy cannot interrupt a turn", "wait for the end of the turn, or stop the session: betcode session stop"
	case messages.GetAbilities:
		t.then(act.Reply{To: from, With: messages.Abilities{}})
		return true
	default:
		return false
	}
	t.then(act.Reply{To: from, With: messages.Errorf(op, messages.WrongState, "the session's agent runs under a proxy: %s", why).
		With("session_id", string(t.s.id)).WithHint(hint)})
	return true
}

// repeatInterrupt has an interrupt sent again that a person repeats: the first may have been lost with a connection.
func (t *transition) repeatInterrupt() {
	if t.s.record.TurnCanceled && t.s.record.Proxy.Interrupted {
		t.changeProxy().Interrupted = false
	}
}
