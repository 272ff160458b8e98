package session

import (
	"time"

	"betcode/actors/internal/act"
	"betcode/actors/session/prompts"
	"betcode/messages"
)

// A person who watches a session needs no notification. Watching means that a client
// which may answer is attached and not an observer by its own wish. Whether somebody
// watches is judged when something begins to wait for a person, and again when the
// last client that watched is gone: then the notifications that its presence held back
// are sent, after a grace in which a client may reconnect. Nothing of it is journaled;
// a new daemon judges once more.

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

// tendUnwatched begins the grace when requests wait and nobody watches. It ends every
// step.
func (t *transition) tendUnwatched() {
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

// unwatchedLate notifies a person of everything that waits, if still nobody watches.
func (t *transition) unwatchedLate() {
	t.s.unwatched.timer = false
	for _, p := range t.s.prompts.List(prompts.Undecided) {
		if prompts.Screened(p) {
			t.callFor(p)
		}
	}
}
