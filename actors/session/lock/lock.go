// Package lock decides which client may write to a session.
//
//	        attach, request, or first write       release, or the holder leaves
//	FREE ────────────────────────────────► HELD ─────────────────────────────────► HELD by the first waiter, or FREE
//	                                       │  ▲
//	        request by another client      │  │ refused: the requester keeps waiting
//	                                       ▼  │
//	                                     CONTESTED ── 10 s without a response ──► HELD by the requester
//
// A holder that has written nothing for 5 minutes while others wait keeps the lock, but it is offered to the waiters: the
// first may take it within 10 s without asking, then the next. A waiter that lets its offer pass leaves the queue.
//
// A [Lock] is a value without timers, actors or I/O. Its methods take the time and return the facts that changed, in order.
// The session publishes them, journals the holder and answers requests. Waiters are not durable: clients attach again
// after a crash and repeat their request. The holder is durable, and the lock stays reserved for it for a while.
package lock

import (
	"slices"
	"time"

	"betcode/messages"
)

const (
	// ResponseTime is how long the holder may think about a request, and the first waiter about an offer.
	ResponseTime = 10 * time.Second
	// RequestTime bounds the time until a request is answered, however many are before it. Clients in the field cut
	// unary calls at 30 s.
	RequestTime = 2 * ResponseTime
	// IdleTime is how long a holder may write nothing before the lock is offered to waiters.
	IdleTime = 5 * time.Minute
	// MaxWaiters bounds the queue.
	MaxWaiters = 1024
)

// Ticket names one pending request. The caller assigns tickets; zero is none.
type Ticket uint64

// Attached reports whether a client has a stream that may write.
type Attached func(messages.ClientID) bool

// Lock is the state of one session's input lock. The zero value is free. A copy is independent of the original.
type Lock struct {
	holder   messages.ClientID // empty: free
	reserved bool              // for a holder that was attached before a crash and has not come back
	lastUse  time.Time         // when the holder got the lock, wrote, or refused to give it up
	queue    []waiter          // clients that requested the lock, in that order
	deadline time.Time         // when the holder's time to respond ends; zero without a pending request
	offer    time.Time         // when the offer to the first waiter expires; zero without an offer
}

type waiter struct {
	client messages.ClientID
	ticket Ticket    // of its pending request; zero: answered, still waiting
	until  time.Time // when the pending request is answered at the latest
}

// Holder returns the client that holds the lock, empty if it is free.
func (l *Lock) Holder() messages.ClientID { return l.holder }

// Reserved reports whether the lock waits for its holder to attach again after a crash.
func (l *Lock) Reserved() bool { return l.reserved }

// Waiting returns the waiters in order.
func (l *Lock) Waiting() []messages.ClientID {
	all := make([]messages.ClientID, len(l.queue))
	for i, w := range l.queue {
		all[i] = w.client
	}
	return all
}

// Contested reports whether clients wait for the lock.
func (l *Lock) Contested() bool { return len(l.queue) > 0 }

// Full reports whether the queue has no place for the client.
func (l *Lock) Full(client messages.ClientID) bool {
	return l.index(client) < 0 && len(l.queue) >= MaxWaiters
}

// Pending returns the tickets of requests that have no answer.
func (l *Lock) Pending() []Ticket {
	var all []Ticket
	for _, w := range l.queue {
		if w.ticket != 0 {
			all = append(all, w.ticket)
		}
	}
	return all
}

// Blocks reports whether the client may not write because another client holds the lock.
func (l *Lock) Blocks(client messages.ClientID, attached Attached) bool {
	return l.holder != "" && l.holder != client && l.offeredTo() != client && (l.reserved || attached(l.holder))
}

// Kept is the answer to a client that does not get the lock for now.
func (l *Lock) Kept(client messages.ClientID) messages.LockAnswer {
	return messages.LockAnswer{Holder: l.holder, Previous: l.holder, Place: l.index(client) + 1}
}

// Next returns when [Lock.Tick] is due, zero if nothing is pending.
func (l *Lock) Next() time.Time {
	var next time.Time
	due := func(at time.Time) {
		if !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	due(l.deadline)
	due(l.offer)
	for _, w := range l.queue {
		if w.ticket != 0 {
			due(w.until)
		}
	}
	if l.offerable() && l.offer.IsZero() {
		due(l.lastUse.Add(IdleTime))
	}
	return next
}

// index returns the place of a client in the queue, from 0; -1 if it does not wait.
func (l *Lock) index(client messages.ClientID) int {
	return slices.IndexFunc(l.queue, func(w waiter) bool { return w.client == client })
}

// requester returns the index of the first waiter whose request is pending, -1 without one.
func (l *Lock) requester() int {
	return slices.IndexFunc(l.queue, func(w waiter) bool { return w.ticket != 0 })
}

// offeredTo returns the client that the lock is offered to, empty if it is not.
func (l *Lock) offeredTo() messages.ClientID {
	if l.offer.IsZero() || len(l.queue) == 0 {
		return ""
	}
	return l.queue[0].client
}

// offerable reports whether an idle holder's lock may be offered: it is held, and others wait.
func (l *Lock) offerable() bool { return len(l.queue) > 0 && !l.reserved && l.holder != "" }
