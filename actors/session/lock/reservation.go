package lock

import (
	"time"

	"betcode/messages"
)

// Reserve keeps the lock for the client that held it before a crash.
func (l *Lock) Reserve(now time.Time, holder messages.ClientID) {
	l.holder, l.reserved, l.lastUse = holder, true, now
}

// EndReservation gives the lock of a holder that has not come back to the first waiter.
func (l *Lock) EndReservation(now time.Time, attached Attached) []Fact {
	s := l.step(now, attached)
	if l.reserved && !attached(l.holder) {
		s.handOver()
	}
	l.reserved = false
	return s.facts
}

// Abandon forgets the waiters; their requests are answered by the caller.
func (l *Lock) Abandon() { l.queue = nil }
