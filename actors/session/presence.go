package session

import (
	"fmt"
	"time"

	"betcode/actors/internal/act"
	"betcode/actors/internal/encode"
	"betcode/actors/internal/texts"
	"betcode/actors/permission"
	"betcode/actors/session/events"
	"betcode/actors/session/forward"
	"betcode/actors/session/presence"
	"betcode/actors/session/prompts"
	"betcode/messages"
	"betcode/messages/toolcall"
)

// The audience of the session's events and requests: the attached clients, a person who is notified because no client watches, and
// the clients of sessions above.

// applyPresence announces to every client what changed about another.
func (t *transition) applyPresence(c *presence.Change) {
	switch {
	case c == nil:
	case c.Attached != nil:
		t.publishUnnumbered(events.Attached(*c.Attached, c.Total))
	default:
		t.publishUnnumbered(events.Detached(c.Detached, c.Total))
	}
}

// snapshots are the events with the state that is not in the history: the lock and the attached clients.
func (t *transition) snapshots() []messages.Event {
	return []messages.Event{
		encode.Event(events.Lock(t.s.lock.View()), t.s.id, 0, t.now.at),
		encode.Event(events.Everyone(t.s.clients.Everyone()), t.s.id, 0, t.now.at),
	}
}

// caughtUp sends a stream that lagged the snapshots that it may have missed.
func (t *transition) caughtUp(id string) {
	if t.s.clients.Has(id) {
		t.then(sendToStream{stream: id, events: append(t.snapshots(), t.s.replayForwarded(t.now)...)})
	}
}

// A person who watches a session needs no notification. A session is watched while a client is attached that may answer and did not
// attach as an observer. The session decides about a notification when something begins to wait for a person, and again when the
// last watching client is gone: then it sends the notifications that were withheld, after a grace in which a client may reconnect.
// Nothing of this is journaled; a new daemon decides again.

// unwatchedGrace is how long a client that watched may take to reconnect.
const unwatchedGrace = 10 * time.Second

// unwatchedDue is sent when the grace is over.
type unwatchedDue struct{}

// maxNotified bounds the text of a tool call in a notification, in bytes.
const maxNotified = 200

// updateUnwatched begins the grace when requests wait and no client watches. It ends every step.
func (t *transition) updateUnwatched() {
	if t.s.clients.Watched() {
		t.s.unwatched.Watched()
		return
	}
	if !t.s.exists || t.s.forwards() {
		return
	}
	var waiting []messages.RequestID
	for _, f := range t.s.forPeople() {
		waiting = append(waiting, f.ID())
	}
	if t.s.unwatched.Begin(waiting) {
		t.then(act.After{Delay: unwatchedGrace, Message: unwatchedDue{}})
	}
}

// unwatchedLate notifies a person of everything that waits, if no client watches yet.
func (t *transition) unwatchedLate() {
	t.s.unwatched.Over()
	for _, f := range t.s.forPeople() {
		t.notifyOnce(f)
	}
}

// extendPrompts extends undecided requests when a client is active.
func (t *transition) extendPrompts(m any) {
	if !t.s.options.Extend || !t.s.exists || t.s.deleting() {
		return
	}
	switch m := m.(type) {
	case messages.Attach, messages.SendInput, messages.CancelTurn, messages.TakeLock, messages.ReleaseLock, messages.RefuseLock,
		messages.ChangeSettings, messages.RenameSession, messages.SetGrant, messages.ClearGrants:
		t.extend("")
	case ClientActive:
		t.extend("")
	case messages.AnswerPermission:
		t.extend(t.s.prompts.Current(prompts.RequestOf(m.Request)))
	}
}

// extend gives every undecided request its whole TTL again, except the one that is being answered and those that have expired.
func (t *transition) extend(but messages.RequestID) {
	for _, p := range t.s.prompts.Extended(act.Wall(t.now.at), t.s.options.PermissionTTL, but) {
		t.putPermission(p)
		t.then(update{p})
		t.publishUnnumbered(events.PermissionExtended(p))
	}
	for _, below := range t.s.forwarding.Below() {
		t.then(sendToSession{Toward{Session: below, Message: ClientActive{}}})
	}
}

// remind announces a waiting request again, once per reminder.
func (t *transition) remind(m permission.ReminderDue) {
	p, ok := t.s.prompts.Find(m.Request)
	if !ok || prompts.Decided(p) || m.Number <= prompts.RemindersSent(p) {
		return
	}
	p = prompts.Reminded(p, m.Number)
	t.putPermission(p)
	tool, age := texts.Shorten(p.Tool, maxShown), texts.Age(act.Wall(t.now.at).Sub(p.ReceivedAt))
	n := Notice{
		Code: "PERMISSION_REMINDER", Session: t.s.id, Name: t.s.record.Label(),
		Message: fmt.Sprintf("%s has waited for an answer for %s: %s", tool, age, toolcall.Cut(p.Description, maxNotified)),
		Details: map[string]string{"request_id": string(p.Request), "tool": tool, "age": age},
	}
	t.notice(n.Code, n.Message, n.Details)
	t.then(notifyPerson{n})
}

// A subagent that forwards its requests has them shown on the streams of the session above it, and further up as long as each
// session forwards (package forward). An answer with a forwarded id goes to the subagent's session at once: package actors addresses
// it, so nothing here decides.

// sendToSession is an effect: send a message to another session.
type sendToSession struct{ Toward }

func (sendToSession) Effect() {}

// updateForwarding sends the session above the requests that wait for people, if they have changed. It ends every step.
func (t *transition) updateForwarding() {
	if !t.s.forwards() || t.append.Delete {
		return
	}
	if waiting := t.s.forwardable(); t.s.forwarding.Changed(waiting) {
		t.sendForwarded(waiting)
	}
}

// sendForwarded sends the session above the whole list. Its actor is started if the list is not empty.
func (t *transition) sendForwarded(waiting []prompts.Forwarded) {
	m := Forwarded{From: t.s.id, Waiting: waiting, Decided: t.s.forwarding.Send(waiting, t.decided)}
	t.then(sendToSession{Toward{Session: t.s.record.Subagent.Parent, Message: m, Start: len(waiting) > 0}})
}

// forwardAtStart sends the list to the session above, which may have an older one.
func (t *transition) forwardAtStart() {
	if t.s.forwards() {
		t.sendForwarded(t.s.forwardable())
	}
}

// forwardAgain sends the list again to a session that was restarted.
func (t *transition) forwardAgain(to messages.SessionID) {
	if t.s.forwards() && t.s.record.Subagent.Parent == to && t.s.forwarding.Sent() {
		t.sendForwarded(t.s.forwardable())
	}
}

// stopForwarding withdraws what the session has forwarded, because it is deleted, and notifies the sessions below.
func (t *transition) stopForwarding() {
	if t.s.forwards() && t.s.forwarding.Sent() {
		t.sendForwarded(nil)
	}
	for _, below := range t.s.forwarding.Below() {
		t.then(sendToSession{Toward{Session: below, Message: NothingAbove{}}})
	}
}

// forwarded shows the requests from below to the clients of this session.
func (t *transition) forwarded(m Forwarded) {
	if !t.s.exists || t.s.deleting() {
		t.then(sendToSession{Toward{Session: m.From, Message: NothingAbove{}}})
		t.maybeRetire()
		return
	}
	t.decided = append(t.decided, m.Decided...)
	for _, f := range t.s.forwarding.Take(m.From, m.Waiting, m.Decided) {
		switch f := f.(type) {
		case forward.Resolved:
			t.publishUnnumbered(events.PermissionResolved(f.PermissionRecord))
		case forward.Extended:
			t.publishUnnumbered(events.PermissionExtended(f.Shown()))
		case forward.Came:
			for _, e := range events.Forwarded(f.Shown(), f.Session, f.Name) {
				t.publishUnnumbered(e)
			}
			t.notifyOnce(f.Forwarded)
		}
	}
	t.maybeRetire()
}
