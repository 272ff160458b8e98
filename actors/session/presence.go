package session

import (
	"time"

	"betcode/actors/internal/act"
	"betcode/actors/internal/encode"
	"betcode/actors/session/events"
	"betcode/actors/session/presence"
	"betcode/actors/session/prompts"
	"betcode/messages"
)

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
		t.then(sendToStream{stream: id, events: t.snapshots()})
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

// unwatched is what a session knows of the notifications that it sent.
type unwatched struct {
	timer bool                        // the grace runs
	told  map[messages.RequestID]bool // undecided requests that a person was notified of
}

// maxNotified bounds what a notification says of a tool call, in bytes.
const maxNotified = 200

// updateUnwatched begins the grace when requests wait and no client watches. It ends every step.
func (t *transition) updateUnwatched() {
	if t.s.clients.Watched() {
		t.s.unwatched.told = nil // the watcher sees them; they count as new when it leaves
		return
	}
	if t.s.unwatched.timer || !t.s.exists {
		return
	}
	for _, p := range t.s.prompts.List(prompts.Undecided) {
		if prompts.Screened(p) && !t.s.unwatched.told[p.Request] {
			t.s.unwatched.timer = true
			t.then(act.After{Delay: unwatchedGrace, Message: unwatchedDue{}})
			return
		}
	}
}

// unwatchedLate notifies a person of everything that waits, if still no client watches.
func (t *transition) unwatchedLate() {
	t.s.unwatched.timer = false
	for _, p := range t.s.prompts.List(prompts.Undecided) {
		if prompts.Screened(p) {
			t.callFor(p)
		}
	}
}
