package presence

import (
	"maps"

	"betcode/messages"
)

// Unwatched records the requests of an unwatched session that a person was notified of.
//
// While a client watches, the session sends no notifications: the client shows the requests. When the last watching client has left,
// the session waits for a grace, in which a client may attach again, and then sends the notifications. A copy is independent of the
// original. A new daemon decides again.
type Unwatched struct {
	grace bool                        // it runs
	told  map[messages.RequestID]bool // undecided requests that a person was notified of
}

// Watched notes that a client watches: the requests count as new when it leaves.
func (u *Unwatched) Watched() { u.told = nil }

// Begin reports whether the grace begins for these requests, which wait while no client watches.
func (u *Unwatched) Begin(waiting []messages.RequestID) bool {
	if u.grace {
		return false
	}
	for _, id := range waiting {
		if !u.told[id] {
			u.grace = true
			return true
		}
	}
	return false
}

// Over notes the end of the grace.
func (u *Unwatched) Over() { u.grace = false }

// Notify reports whether a person is to be notified of a request: once.
func (u *Unwatched) Notify(id messages.RequestID) bool {
	if u.told[id] {
		return false
	}
	told := maps.Clone(u.told)
	if told == nil {
		told = map[messages.RequestID]bool{}
	}
	told[id] = true
	u.told = told
	return true
}
