package actors

import (
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/messages"
)

// One client at a time may write to a session, the holder of the input lock.
//
//	        attaches, asks or writes           gives it back, leaves: the first who waits has it
//	FREE ──────────────────────────────► HELD ───────────────────────────────────────────────► HELD or FREE
//	                                      │ ▲
//	 another asks: 10 s for the holder    │ │ it refuses: who asked goes on waiting
//	                                      ▼ │
//	                                     ASKED ── 10 s without an answer ──► HELD by who asked
//
// A holder that has written nothing for 5 minutes while others wait keeps it, but it is
// offered to them: the first may take it without asking within 10 s, then the next.
// Who lets an offer pass no longer waits.
//
// Who waits, and what was asked, is told to every client, and lost with this actor:
// the clients attach again, and ask again if they still want it. Who holds it
// survives (see [transition.keepLock]).
type inputLock struct {
	holder   messages.ClientID // empty: nobody
	kept     bool              // for its holder, who was attached when we crashed
	used     time.Time         // when the holder got it, wrote, or refused to give it up
	queue    []lockWaiter      // who asked and has not got it, in that order
	answerBy time.Time         // until then the holder may answer who asks; zero: nobody asks
	offerBy  time.Time         // until then the first of the queue may take it; zero: it is not on offer
	wake     time.Time         // when it is looked at again; zero: no timer is set
}

// lockWaiter is a client that waits for the lock. As long as its call is not answered it
// asks.
type lockWaiter struct {
	client messages.ClientID
	call   *actor.PID
	until  time.Time // when the call is answered at the latest
}

// maxWaiters bounds how many clients may wait for one lock.
const maxWaiters = 1024

// place returns where a client waits, -1 if it does not.
func (l *inputLock) place(client messages.ClientID) int {
	return slices.IndexFunc(l.queue, func(w lockWaiter) bool { return w.client == client })
}

// asking returns where the first waits whose call is not answered, -1 if nobody asks.
func (l *inputLock) asking() int {
	return slices.IndexFunc(l.queue, func(w lockWaiter) bool { return w.call != nil })
}

// offered returns whom the lock is offered to, empty if it is not.
func (l *inputLock) offered() messages.ClientID {
	if l.offerBy.IsZero() || len(l.queue) == 0 {
		return ""
	}
	return l.queue[0].client
}

// callers are the calls that are not answered.
func (l *inputLock) callers() []*actor.PID {
	var all []*actor.PID
	for _, w := range l.queue {
		if w.call != nil {
			all = append(all, w.call)
		}
	}
	return all
}

// locked reports whether the lock is somebody else's.
func (s *sessionState) locked(client messages.ClientID) bool {
	l := &s.lock
	return l.holder != "" && l.holder != client && l.offered() != client && (l.kept || s.attached(l.holder))
}

// takeLock gives a client the lock, or asks its holder. Who only watches never gets it.
func (t *transition) takeLock(from *actor.PID, m messages.TakeLock) {
	const op = "request input lock"
	l := &t.s.lock
	switch {
	case !t.known(from, op):
	case t.s.watches(m.Client):
		t.then(reply{from, messages.Errorf(op, messages.WrongState, "this client is attached as an observer").
			With("session_id", string(t.s.id)).WithHint("attach without observer to write")})
	case l.holder == m.Client:
		t.then(reply{from, messages.LockAnswer{Granted: true, Holder: m.Client, Previous: m.Client}})
	case !t.s.locked(m.Client):
		previous := l.holder
		t.setLock(m.Client)
		t.then(reply{from, messages.LockAnswer{Granted: true, Holder: m.Client, Previous: previous}})
	case t.s.degraded != nil: // nobody knows how long this actor lives
		t.then(reply{from, t.s.lockKeptFrom(m.Client)})
	case l.place(m.Client) < 0 && len(l.queue) >= maxWaiters:
		t.then(reply{from, messages.Errorf(op, messages.Exhausted, "%d clients wait for the input lock", len(l.queue)).
			WithHint("try again later, or watch only")})
	default:
		t.askHolder(from, m.Client)
	}
}

// askHolder puts a client into the queue and asks the holder. A client asks once: its
// newest call is answered in time, an older one now.
func (t *transition) askHolder(from *actor.PID, client messages.ClientID) {
	l := &t.s.lock
	l.queue = slices.Clone(l.queue)
	i := l.place(client)
	if i < 0 {
		i, l.queue = len(l.queue), append(l.queue, lockWaiter{client: client})
	}
	w := &l.queue[i]
	if w.call != nil && w.call.Id != from.GetId() {
		t.then(reply{w.call, t.s.lockKeptFrom(client)})
	}
	w.call, w.until = from, t.now.at.Add(lockCallPatience)
	if l.answerBy.IsZero() {
		l.answerBy = t.now.at.Add(lockAnswerTime)
	}
	t.tellLock("")
}

// lockKeptFrom answers a client that does not get the lock, for now.
func (s *sessionState) lockKeptFrom(client messages.ClientID) messages.LockAnswer {
	return messages.LockAnswer{Holder: s.lock.holder, Previous: s.lock.holder, Place: s.lock.place(client) + 1}
}

// releaseLock takes the lock back from its holder. Who only waits for it waits no longer.
func (t *transition) releaseLock(from *actor.PID, m messages.ReleaseLock) {
	previous := t.s.lock.holder
	if previous == m.Client {
		t.handOver()
	} else {
		t.stopWaiting(m.Client)
	}
	t.then(reply{from, messages.LockAnswer{Granted: previous == m.Client, Holder: t.s.lock.holder, Previous: previous}})
}

// refuseLock is the holder's word that it keeps the lock: it is told to whoever asks
// for it now, and they go on waiting.
func (t *transition) refuseLock(from *actor.PID, m messages.RefuseLock) {
	const op = "refuse input lock"
	if !t.known(from, op) {
		return
	}
	l := &t.s.lock
	if l.holder != m.Client {
		t.then(reply{from, messages.Errorf(op, messages.WrongState, "this client does not hold the input lock").
			With("holder_client_id", string(l.holder)).WithHint("only its holder is asked for it")})
		return
	}
	l.used = t.now.at
	if l.asking() >= 0 || !l.offerBy.IsZero() {
		answer := func(w lockWaiter) messages.LockAnswer {
			kept := t.s.lockKeptFrom(w.client)
			kept.Refused = true
			return kept
		}
		t.answerCallers(answer, func(lockWaiter) bool { return true })
		l.offerBy = time.Time{}
		t.tellLock("")
	}
	t.then(reply{from, messages.LockAnswer{Granted: true, Holder: l.holder, Previous: l.holder}})
}

// answerCallers answers the calls that match; who called goes on waiting.
func (t *transition) answerCallers(answer func(lockWaiter) messages.LockAnswer, matches func(lockWaiter) bool) {
	l := &t.s.lock
	l.queue = slices.Clone(l.queue)
	for i, w := range l.queue {
		if w.call != nil && matches(w) {
			t.then(reply{w.call, answer(w)})
			l.queue[i].call = nil
		}
	}
	if l.asking() < 0 {
		l.answerBy = time.Time{}
	}
}

// stopWaiting takes a client out of the queue.
func (t *transition) stopWaiting(client messages.ClientID) {
	if i := t.s.lock.place(client); i >= 0 {
		t.dropWaiter(i)
		t.tellLock("")
	}
}

func (t *transition) dropWaiter(i int) {
	l := &t.s.lock
	w := l.queue[i]
	l.queue = slices.Delete(slices.Clone(l.queue), i, i+1)
	if w.call != nil {
		t.then(reply{w.call, t.s.lockKeptFrom(w.client)})
	}
	if i == 0 {
		l.offerBy = time.Time{}
	}
	if l.asking() < 0 {
		l.answerBy = time.Time{}
	}
}

// handOver gives the lock to the first who waits and is still there, else to nobody.
func (t *transition) handOver() {
	for len(t.s.lock.queue) > 0 {
		if next := t.s.lock.queue[0].client; t.s.attached(next) {
			t.setLock(next)
			return
		}
		t.dropWaiter(0)
	}
	t.setLock("")
}

// setLock gives the lock to a client, or to nobody. Who has waited for it is told; who
// still asks asks the new holder.
func (t *transition) setLock(client messages.ClientID) {
	l := &t.s.lock
	previous, call := l.holder, (*actor.PID)(nil)
	if i := l.place(client); i >= 0 {
		call, l.queue = l.queue[i].call, slices.Delete(slices.Clone(l.queue), i, i+1)
	}
	l.holder, l.kept, l.used, l.answerBy, l.offerBy = client, false, t.now.at, time.Time{}, time.Time{}
	if l.asking() >= 0 {
		l.answerBy = t.now.at.Add(lockAnswerTime)
	}
	t.tellLock(previous)
	t.noteLock()
	if call != nil {
		t.then(reply{call, messages.LockAnswer{Granted: true, Holder: client, Previous: previous}})
	}
}

// holds reports whether a client may write, and takes a free lock for it, or one that
// is offered to it. If it may not, the refusal is on its way.
func (t *transition) holds(from *actor.PID, client messages.ClientID, op string) bool {
	l := &t.s.lock
	switch {
	case t.s.watches(client):
		t.then(reply{from, messages.Errorf(op, messages.Denied, "an observer never holds the input lock").
			WithCode(messages.NoInputLock).With("holder_client_id", string(l.holder)).With("session_id", string(t.s.id)).
			WithHint("attach without observer to write")})
		return false
	case t.s.locked(client):
		t.then(reply{from, messages.Errorf(op, messages.Denied, "another client holds the input lock").
			WithCode(messages.NoInputLock).With("holder_client_id", string(l.holder)).With("session_id", string(t.s.id)).
			WithHint("request the input lock, or watch only")})
		return false
	case l.holder != client:
		t.setLock(client)
	default:
		l.used = t.now.at
		if !l.offerBy.IsZero() { // it is there after all
			l.offerBy = time.Time{}
			t.tellLock("")
		}
	}
	return true
}
