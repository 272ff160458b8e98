package session

import (
	"time"

	"betcode/actors/internal/act"
	"betcode/actors/session/prompts"
	"betcode/messages"
)

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
