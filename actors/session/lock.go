package session

import (
	"maps"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/session/events"
	"betcode/actors/session/lock"
	"betcode/messages"
)

// inputLock is the session's input lock ([lock.Lock]) with what the pure machine does not have: its timer and the
// processes that wait for an answer.
type inputLock struct {
	lock.Lock
	wake   time.Time                  // when the timer is due; zero: none is set
	calls  map[lock.Ticket]*actor.PID // pending requests
	ticket lock.Ticket                // assigned last
}

// lockDue is sent when something about the lock may be due.
type lockDue struct{ at time.Time }

// lockGraceOver is sent when the reservation for a holder from before a crash ends.
type lockGraceOver struct{}

// pending returns the processes whose requests have no answer.
func (l *inputLock) pending() []*actor.PID {
	var all []*actor.PID
	for _, ticket := range l.Pending() {
		all = append(all, l.calls[ticket])
	}
	return all
}

// ticketOf returns the ticket of the process's pending request, or a new one.
func (l *inputLock) ticketOf(from *actor.PID) lock.Ticket {
	for ticket, pid := range l.calls {
		if pid.GetId() == from.GetId() {
			return ticket
		}
	}
	l.ticket++
	l.calls = maps.Clone(l.calls)
	if l.calls == nil {
		l.calls = map[lock.Ticket]*actor.PID{}
	}
	l.calls[l.ticket] = from
	return l.ticket
}

// locked reports whether another client holds the lock.
func (s *state) locked(client messages.ClientID) bool {
	return s.lock.Blocks(client, s.clients.Writes)
}

// applyLock is the only place where facts about the lock become events, records and replies.
func (t *transition) applyLock(facts []lock.Fact) {
	for _, f := range facts {
		switch f := f.(type) {
		case lock.Moved:
			t.publishUnnumbered(events.Lock(f.View))
			t.recordHolder()
		case lock.Changed:
			t.publishUnnumbered(events.Lock(f.View))
		case lock.Answered:
			t.then(act.Reply{To: t.s.lock.calls[f.Ticket], With: f.Answer})
			t.s.lock.calls = maps.Clone(t.s.lock.calls)
			delete(t.s.lock.calls, f.Ticket)
		}
	}
}

// takeLock gives a client the lock, or asks its holder. Observers never get it.
func (t *transition) takeLock(from *actor.PID, m messages.TakeLock) {
	const op = "request input lock"
	l := &t.s.lock
	switch {
	case !t.known(from, op):
	case t.s.clients.Observes(m.Client):
		t.then(act.Reply{To: from, With: lock.ObserverError(op, t.s.id)})
	case t.s.locked(m.Client) && !t.s.clients.Writes(m.Client): // it can neither use the lock nor wait for it
		t.then(act.Reply{To: from, With: lock.NoStreamError(op, t.s.id, l.Holder())})
	case t.s.locked(m.Client) && t.s.durable.failure != nil: // this actor may be replaced at any moment, and its queue with it
		t.then(act.Reply{To: from, With: l.Kept(m.Client)})
	case t.s.locked(m.Client) && l.Full(m.Client):
		t.then(act.Reply{To: from, With: lock.FullError(op)})
	default:
		t.applyLock(l.Request(t.now.at, m.Client, l.ticketOf(from), t.s.clients.Writes))
	}
}

// releaseLock takes the lock back from its holder. A waiting client leaves the queue.
func (t *transition) releaseLock(from *actor.PID, m messages.ReleaseLock) {
	previous := t.s.lock.Holder()
	t.applyLock(t.s.lock.Release(t.now.at, m.Client, t.s.clients.Writes))
	t.then(act.Reply{To: from, With: messages.LockAnswer{Granted: previous == m.Client, Holder: t.s.lock.Holder(), Previous: previous}})
}

// refuseLock keeps the lock for its holder: pending requests are answered, and their clients keep waiting.
func (t *transition) refuseLock(from *actor.PID, m messages.RefuseLock) {
	const op = "refuse input lock"
	if !t.known(from, op) {
		return
	}
	holder := t.s.lock.Holder()
	if holder != m.Client {
		t.then(act.Reply{To: from, With: lock.NotHolderError(op, holder)})
		return
	}
	t.applyLock(t.s.lock.Refuse(t.now.at))
	t.then(act.Reply{To: from, With: messages.LockAnswer{Granted: true, Holder: holder, Previous: holder}})
}

// ensureLock reports whether a client may write, and takes a free or offered lock for it. If it may not, the refusal is
// sent.
func (t *transition) ensureLock(from *actor.PID, client messages.ClientID, op string) bool {
	if observes := t.s.clients.Observes(client); observes || t.s.locked(client) {
		w := lock.Writer{Holder: t.s.lock.Holder(), Observes: observes, Reserved: t.s.lock.Reserved()}
		t.then(act.Reply{To: from, With: lock.NoLockError(op, t.s.id, w)})
		return false
	}
	t.applyLock(t.s.lock.Use(t.now.at, client, t.s.clients.Writes))
	return true
}

func (t *transition) lockIsDue(m lockDue) {
	if m.at.Equal(t.s.lock.wake) {
		t.s.lock.wake = time.Time{}
	}
}

// updateLock applies what is due about the lock and sets the timer for what comes next. It ends every step.
func (t *transition) updateLock() {
	l, now := &t.s.lock, t.now.at
	t.applyLock(l.Tick(now, t.s.ending.Shutdown, t.s.clients.Writes))
	if next := l.Next(); !next.IsZero() && (l.wake.IsZero() || next.Before(l.wake)) {
		l.wake = next
		t.then(act.After{Delay: next.Sub(now), Message: lockDue{next}})
	}
}

// recordHolder makes the holder durable while it is attached, so that it can come back after a crash. That does not bump
// UpdatedAt.
func (t *transition) recordHolder() {
	holder := t.s.lock.Holder()
	if !t.s.clients.Writes(holder) {
		holder = ""
	}
	if t.s.exists && t.s.record.Lock != holder {
		t.change().Lock = holder
	}
}

// reserveLock keeps the lock for a while for its holder from before a crash: otherwise the client that reconnects first
// takes it.
func (t *transition) reserveLock() {
	holder := t.s.record.Lock
	switch {
	case holder == "":
	case t.s.options.LockGrace <= 0: // the crash was long ago
		t.change().Lock = ""
	default:
		t.s.lock.Reserve(t.now.at, holder)
		t.then(act.After{Delay: t.s.options.LockGrace, Message: lockGraceOver{}})
	}
}

// endReservation ends the reservation for a holder that has not come back.
func (t *transition) endReservation() {
	t.applyLock(t.s.lock.EndReservation(t.now.at, t.s.clients.Writes))
	t.maybeRetire()
}
