package actors

import (
	"time"

	"betcode/messages"
)

const (
	// lockAnswerTime is how long the holder of the input lock may think about giving
	// it to who asks, and who it is offered to about taking it.
	lockAnswerTime = 10 * time.Second
	// lockCallPatience is when who asks is answered at the latest, however many ask
	// before it: unary calls are cut at 30 s by clients in the field.
	lockCallPatience = 2 * lockAnswerTime
	// lockIdleTime is how long a holder may write nothing before the lock is offered
	// to those who wait.
	lockIdleTime = 5 * time.Minute
)

// lockDue is the session's own word that something about the lock may be due.
type lockDue struct{ at time.Time }

// lockGraceOver is its own word for the end of its patience with the holder of the
// lock.
type lockGraceOver struct{}

func (t *transition) lockIsDue(m lockDue) {
	if m.at.Equal(t.s.lock.wake) {
		t.s.lock.wake = time.Time{}
	}
}

// tendLock does what time has made due, and sees to being woken for what comes next.
// It is the end of every step.
func (t *transition) tendLock() {
	l, now := &t.s.lock, t.now.at
	if passed(l.answerBy, now) {
		t.lockUnanswered()
	}
	late := func(w lockWaiter) bool { return passed(w.until, now) || t.s.ending }
	if len(l.callers()) > 0 {
		before := len(l.callers())
		t.answerCallers(func(w lockWaiter) messages.LockAnswer { return t.s.lockKeptFrom(w.client) }, late)
		if len(l.callers()) != before {
			t.tellLock("")
		}
	}
	if passed(l.offerBy, now) {
		t.dropWaiter(0)
		if !t.offerLock() {
			t.tellLock("")
		}
	} else {
		t.offerLock()
	}
	if next := t.s.nextLockTime(); !next.IsZero() && (l.wake.IsZero() || next.Before(l.wake)) {
		l.wake = next
		t.then(wakeAfter{next.Sub(now), lockDue{next}})
	}
}

// lockUnanswered gives the lock to who asks and got no answer.
func (t *transition) lockUnanswered() {
	l := &t.s.lock
	for {
		i := l.asking()
		if i < 0 {
			t.tellLock("")
			return
		}
		if client := l.queue[i].client; t.s.attached(client) {
			t.setLock(client)
			return
		}
		t.dropWaiter(i) // it could not write
	}
}

// offerLock offers the lock to the first who waits, if its holder has not written for
// a while. It reports whether it did.
func (t *transition) offerLock() bool {
	l := &t.s.lock
	if !t.s.offerable() || !l.offerBy.IsZero() || t.now.at.Before(l.used.Add(lockIdleTime)) {
		return false
	}
	l.offerBy = t.now.at.Add(lockAnswerTime)
	t.tellLock("")
	return true
}

// offerable reports whether the lock may come to be offered: others wait for it.
func (s *sessionState) offerable() bool {
	return len(s.lock.queue) > 0 && !s.lock.kept && s.lock.holder != ""
}

// nextLockTime is when something about the lock is due; zero for never.
func (s *sessionState) nextLockTime() time.Time {
	l := &s.lock
	var next time.Time
	due := func(at time.Time) {
		if !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	due(l.answerBy)
	due(l.offerBy)
	for _, w := range l.queue {
		if w.call != nil {
			due(w.until)
		}
	}
	if s.offerable() && l.offerBy.IsZero() {
		due(l.used.Add(lockIdleTime))
	}
	return next
}

func passed(deadline, now time.Time) bool { return !deadline.IsZero() && !now.Before(deadline) }

// noteLock makes the holder durable while it is attached, so that it can come back
// after a crash of ours. That is no use of the session, so the session stays where it
// is in the list.
func (t *transition) noteLock() {
	holder := t.s.lock.holder
	if !t.s.attached(holder) {
		holder = ""
	}
	if t.s.exists && t.s.record.Lock != holder {
		t.change().Lock = holder
	}
}

// keepLock keeps the lock for a while for who held it when we crashed: else whoever
// is faster than the holder takes it.
func (t *transition) keepLock() {
	holder := t.s.record.Lock
	switch {
	case holder == "":
	case t.s.options.lockGrace <= 0: // that crash was long ago
		t.change().Lock = ""
	default:
		t.s.lock.holder, t.s.lock.kept, t.s.lock.used = holder, true, t.now.at
		t.then(wakeAfter{t.s.options.lockGrace, lockGraceOver{}})
	}
}

// lockIsBack is what follows when the holder attaches: it is asked once more what it
// may have missed.
func (t *transition) lockIsBack() {
	l := &t.s.lock
	if l.kept && l.asking() >= 0 {
		l.answerBy = t.now.at.Add(lockAnswerTime)
	}
	l.kept = false
	t.noteLock()
}

// lockIsFree ends the patience with a holder that has not come back.
func (t *transition) lockIsFree() {
	if t.s.lock.kept && !t.s.attached(t.s.lock.holder) {
		t.handOver()
	}
	t.s.lock.kept = false
	t.maybeRetire()
}
