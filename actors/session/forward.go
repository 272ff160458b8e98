package session

import (
	"maps"
	"slices"

	"betcode/actors/session/events"
	"betcode/actors/session/prompts"
	"betcode/messages"
)

// A subagent that forwards its requests has them shown on the streams of the session above it, and further up as long as each
// session forwards. The subagent's session alone journals a request and its decision. The sessions above keep a copy in memory: the
// session below sends the whole list when it changes, when its own actor starts, and when the actor above was restarted.
//
// An answer with a forwarded id goes to the subagent's session at once: package actors addresses it, so nothing here decides.

// forwarding is what a session knows of forwarded requests until its actor ends.
type forwarding struct {
	shown map[messages.SessionID][]prompts.Forwarded // by the session directly below that sent them
	sent  []prompts.Forwarded                        // to the session above
	alone bool                                       // the session above does not exist any more
}

// sendToSession is an effect: hand a message to another session.
type sendToSession struct{ Toward }

func (sendToSession) Effect() {}

// updateForwarding sends the session above what waits for people, if that has changed. It ends every step.
func (t *transition) updateForwarding() {
	if !t.s.forwards() || t.append.Delete {
		return
	}
	if waiting := t.s.forwardable(); !prompts.SameForwarded(waiting, t.s.forwarding.sent) {
		t.sendForwarded(waiting)
	}
}

// sendForwarded sends the session above the whole list. Its actor is started if the list is not empty.
func (t *transition) sendForwarded(waiting []prompts.Forwarded) {
	m := Forwarded{From: t.s.id, Waiting: waiting}
	for _, p := range t.decided {
		if _, was := prompts.Waits(t.s.forwarding.sent, messages.ForwardedID(p.Session, p.Request)); was {
			m.Decided = append(m.Decided, p)
		}
	}
	t.s.forwarding.sent = waiting
	t.then(sendToSession{Toward{Session: t.s.record.Subagent.Parent, Message: m, Start: len(waiting) > 0}})
}

// forwardAtStart sends the list to the session above, which may have an older one.
func (t *transition) forwardAtStart() {
	if t.s.forwards() {
		t.sendForwarded(t.s.forwardable())
	}
}

// forwardAgain sends the list once more to a session that has forgotten it.
func (t *transition) forwardAgain(to messages.SessionID) {
	if t.s.forwards() && t.s.record.Subagent.Parent == to && len(t.s.forwarding.sent) > 0 {
		t.sendForwarded(t.s.forwardable())
	}
}

// stopForwarding takes back what the session has forwarded, because it is deleted, and tells the sessions below.
func (t *transition) stopForwarding() {
	if t.s.forwards() && len(t.s.forwarding.sent) > 0 {
		t.sendForwarded(nil)
	}
	for below := range t.s.forwarding.shown {
		t.then(sendToSession{Toward{Session: below, Message: NothingAbove{}}})
	}
}

// forwarded shows the clients of this session what waits for people below it.
func (t *transition) forwarded(m Forwarded) {
	if !t.s.exists || t.s.deleting() {
		t.then(sendToSession{Toward{Session: m.From, Message: NothingAbove{}}})
		t.maybeRetire()
		return
	}
	before := t.s.forwarding.shown[m.From]
	t.s.forwarding.shown = maps.Clone(t.s.forwarding.shown)
	switch {
	case len(m.Waiting) == 0:
		delete(t.s.forwarding.shown, m.From)
	case t.s.forwarding.shown == nil:
		t.s.forwarding.shown = map[messages.SessionID][]prompts.Forwarded{m.From: m.Waiting}
	default:
		t.s.forwarding.shown[m.From] = m.Waiting
	}
	t.decided = append(t.decided, m.Decided...)
	for _, f := range before {
		if _, waits := prompts.Waits(m.Waiting, f.ID()); !waits {
			t.publishUnnumbered(events.PermissionResolved(decisionOf(f, m.Decided)))
		}
	}
	for _, f := range m.Waiting {
		switch old, known := prompts.Waits(before, f.ID()); {
		case !known:
			for _, e := range events.Forwarded(f.Shown(), f.Session, f.Name) {
				t.publishUnnumbered(e)
			}
			t.notifyOnce(f)
		case !old.ExpiresAt.Equal(f.ExpiresAt):
			t.publishUnnumbered(events.PermissionExtended(f.Shown()))
		}
	}
	t.maybeRetire()
}

// decisionOf returns a request as it was decided. One of which nothing is known was withdrawn.
func decisionOf(f prompts.Forwarded, decided []messages.PermissionRecord) messages.PermissionRecord {
	for _, p := range slices.Backward(decided) {
		if p.Session == f.Session && p.Request == f.Request {
			f.PermissionRecord = p
			return f.Shown()
		}
	}
	f.Decision, f.DecidedBy = messages.DecisionWithdrawn, "agent"
	return f.Shown()
}
