package lock

import (
	"slices"
	"time"

	"betcode/messages"
)

// Request asks for the lock. It is granted at once if the client is not blocked; else the client joins the queue and the
// holder has [ResponseTime] to respond. A client has one pending request: an older one is answered. The client must be
// attached, and the queue must not be full.
func (l *Lock) Request(now time.Time, client messages.ClientID, ticket Ticket, attached Attached) []Fact {
	s := l.step(now, attached)
	switch previous := l.holder; {
	case previous == client:
		s.answer(ticket, messages.LockAnswer{Granted: true, Holder: client, Previous: client})
	case !l.Blocks(client, attached):
		s.move(client)
		s.answer(ticket, messages.LockAnswer{Granted: true, Holder: client, Previous: previous})
	default:
		s.enqueue(client, ticket)
	}
	return s.facts
}

// Release gives the lock back. A waiter leaves the queue instead.
func (l *Lock) Release(now time.Time, client messages.ClientID, attached Attached) []Fact {
	s := l.step(now, attached)
	if l.holder == client {
		s.handOver()
	} else if i := l.index(client); i >= 0 {
		s.drop(i)
		s.changed()
	}
	return s.facts
}

// Refuse keeps the lock for its holder. Pending requests are answered, and their clients keep waiting.
func (l *Lock) Refuse(now time.Time) []Fact {
	s := l.step(now, nil)
	l.lastUse = now
	if l.requester() >= 0 || !l.offer.IsZero() {
		s.answerPending(func(w waiter) bool { return true }, true)
		l.offer = time.Time{}
		s.changed()
	}
	return s.facts
}

// Use is a write by a client that is not blocked. It takes a free or offered lock.
func (l *Lock) Use(now time.Time, client messages.ClientID, attached Attached) []Fact {
	s := l.step(now, attached)
	if l.holder != client {
		s.move(client)
		return s.facts
	}
	l.lastUse = now
	if !l.offer.IsZero() { // the holder is active after all
		l.offer = time.Time{}
		s.changed()
	}
	return s.facts
}

// Attach takes a free lock for a client that may write. A holder that comes back after a crash has its time to respond
// again, since it may have missed a request.
func (l *Lock) Attach(now time.Time, client messages.ClientID) []Fact {
	s := l.step(now, nil)
	switch l.holder {
	case "":
		s.move(client)
	case client:
		if l.reserved && l.requester() >= 0 {
			l.deadline = now.Add(ResponseTime)
		}
		l.reserved = false
	}
	return s.facts
}

// Tick applies what is due: requests without a response, requests that waited too long, expired offers, new offers.
// While the session drains, every pending request is answered.
func (l *Lock) Tick(now time.Time, draining bool, attached Attached) []Fact {
	s := l.step(now, attached)
	if passed(l.deadline, now) {
		s.unanswered()
	}
	late := func(w waiter) bool { return draining || passed(w.until, now) }
	if s.answerPending(late, false) {
		s.changed()
	}
	switch {
	case !passed(l.offer, now):
		s.makeOffer()
	default:
		s.drop(0)
		if !s.makeOffer() {
			s.changed()
		}
	}
	return s.facts
}

func passed(deadline, now time.Time) bool { return !deadline.IsZero() && !now.Before(deadline) }

// step collects the facts of one call.
type step struct {
	*Lock
	now      time.Time
	attached Attached
	facts    []Fact
}

func (l *Lock) step(now time.Time, attached Attached) *step {
	return &step{Lock: l, now: now, attached: attached}
}

func (s *step) changed() { s.facts = append(s.facts, Changed{s.View()}) }

func (s *step) answer(ticket Ticket, answer messages.LockAnswer) {
	s.facts = append(s.facts, Answered{ticket, answer})
}

// enqueue puts a client into the queue, or replaces its pending request.
func (s *step) enqueue(client messages.ClientID, ticket Ticket) {
	s.queue = slices.Clone(s.queue)
	i := s.index(client)
	if i < 0 {
		i, s.queue = len(s.queue), append(s.queue, waiter{client: client})
	}
	w := &s.queue[i]
	if w.ticket != 0 && w.ticket != ticket {
		s.answer(w.ticket, s.Kept(client))
	}
	w.ticket, w.until = ticket, s.now.Add(RequestTime)
	if s.deadline.IsZero() {
		s.deadline = s.now.Add(ResponseTime)
	}
	s.changed()
}

// answerPending answers the pending requests that match and reports whether there were answered. Their clients keep waiting.
func (s *step) answerPending(matches func(waiter) bool, refused bool) bool {
	answered := false
	for i, w := range s.queue {
		if w.ticket == 0 || !matches(w) {
			continue
		}
		kept := s.Kept(w.client)
		kept.Refused = refused
		s.answer(w.ticket, kept)
		if !answered {
			s.queue, answered = slices.Clone(s.queue), true
		}
		s.queue[i].ticket = 0
	}
	if s.requester() < 0 {
		s.deadline = time.Time{}
	}
	return answered
}

// drop takes a waiter out of the queue.
func (s *step) drop(i int) {
	w := s.queue[i]
	s.queue = slices.Delete(slices.Clone(s.queue), i, i+1)
	if w.ticket != 0 {
		s.answer(w.ticket, s.Kept(w.client))
	}
	if i == 0 {
		s.offer = time.Time{}
	}
	if s.requester() < 0 {
		s.deadline = time.Time{}
	}
}

// handOver gives the lock to the first waiter that is attached, else frees it.
func (s *step) handOver() {
	for len(s.queue) > 0 {
		if next := s.queue[0].client; s.attached(next) {
			s.move(next)
			return
		}
		s.drop(0)
	}
	s.move("")
}

// unanswered gives the lock to the first attached requester that got no response.
func (s *step) unanswered() {
	for {
		i := s.requester()
		if i < 0 {
			s.changed()
			return
		}
		if client := s.queue[i].client; s.attached(client) {
			s.move(client)
			return
		}
		s.drop(i)
	}
}

// makeOffer offers the lock of an idle holder to the first waiter and reports whether it did.
func (s *step) makeOffer() bool {
	if !s.offerable() || !s.offer.IsZero() || s.now.Before(s.lastUse.Add(IdleTime)) {
		return false
	}
	s.offer = s.now.Add(ResponseTime)
	s.changed()
	return true
}

// move gives the lock to a client, or to nobody. The new holder gets its answer; requests that are still pending are the
// new holder's to respond to.
func (s *step) move(client messages.ClientID) {
	previous, ticket := s.holder, Ticket(0)
	if i := s.index(client); i >= 0 {
		ticket, s.queue = s.queue[i].ticket, slices.Delete(slices.Clone(s.queue), i, i+1)
	}
	s.holder, s.reserved, s.lastUse, s.deadline, s.offer = client, false, s.now, time.Time{}, time.Time{}
	if s.requester() >= 0 {
		s.deadline = s.now.Add(ResponseTime)
	}
	v := s.View()
	v.Previous = previous
	s.facts = append(s.facts, Moved{v})
	if ticket != 0 {
		s.answer(ticket, messages.LockAnswer{Granted: true, Holder: client, Previous: previous})
	}
}
