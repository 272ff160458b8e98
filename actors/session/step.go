package session

import (
	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/journal"
	"betcode/actors/pool"
	"betcode/actors/run"
	"betcode/actors/session/budget"
	"betcode/actors/session/durable"
	"betcode/actors/session/prompts"
	"betcode/actors/session/slot"
	"betcode/messages"
)

// step takes one message and returns the next state and what to do. It panics
// on a broken invariant; the session is then rebuilt from the journal.
func (s state) step(now env, from *actor.PID, m any) (state, []act.Effect) {
	s.options.Rules = now.rules
	s.day.Begin(now.day.With(s.record.Budget), now.at)
	switch m := m.(type) {
	case messages.SessionLoaded:
		if s.durable.loaded {
			return s, nil // asked for twice, since the journal was restarted meanwhile
		}
		return s.load(now, m)
	case *messages.Error:
		if s.durable.loaded && m.Kind == messages.Unavailable {
			return s, nil // asked for twice, as above
		}
		if m.Kind == messages.Unavailable {
			return s.unreadable(m)
		}
		panic("the journal could not load the session: " + m.Error())
	}
	if m, ok := m.(journal.Unloadable); ok && !s.durable.loaded && s.durable.damage == nil {
		return s.unload(now, m)
	}
	if s.durable.damage != nil {
		return s.stepDamaged(now, from, m)
	}
	if !s.durable.loaded {
		return s.before(from, m)
	}
	if s.durable.failure != nil {
		return s.stepDegraded(now, from, m)
	}
	switch m := m.(type) {
	case messages.Committed:
		return s.committed(m)
	case messages.AppendRefused:
		if m.Err.Kind == messages.Unavailable {
			return s.degrade(now, m.Err)
		}
		if m.Err.Code == messages.SessionClosed {
			return s.closed(m.Err)
		}
		panic("the journal refused an append: " + m.Err.Error())
	case journal.Restarted:
		if s.durable.UnderWay() {
			panic("the journal was restarted with appends of this session under way")
		}
		return s, nil
	}
	t := begin(s, now)
	t.handle(from, m)
	t.updateRepeat()
	t.updateSubagent()
	t.updateCompaction()
	t.updateFamily()
	t.updateBudget()
	t.reconcile()
	t.reconcileProxy()
	t.replaceOutdated()
	t.releaseSlot()
	t.updateYield()
	t.updateUnwatched()
	t.watchTurn()
	t.updateLock()
	t.updateForwarding()
	t.tellFamily()
	t.reportDay()
	s, effects := t.finish()
	return s.admit(now, effects)
}

// load takes what the journal knows. The messages that came early follow.
func (s state) load(now env, m messages.SessionLoaded) (state, []act.Effect) {
	s.exists, s.durable = m.Found, durability{Log: durable.Loaded[act.Effect](m.Record.Head), loaded: true, early: s.durable.early, damage: s.durable.damage}
	s.record, s.run, s.cursor, s.inputs = m.Record, m.Run, m.Cursor, m.Inputs
	s.record.ID = s.id
	s.record.Budget.Spent = budget.Before(s.record.Budget.Spent, s.record.Usage)
	s.prompts = prompts.Loaded(m.Permissions)
	s.day.Standing = now.day.With(s.record.Budget)
	t := begin(s, now)
	t.applySavedStop()
	if !s.active() { // an earlier incarnation may have had a slot
		t.then(sendToPool{pool.Release{Session: s.id}})
	}
	if m.Found && !s.active() && s.record.Run > 0 {
		t.then(archiveRuns{s.runsDirectory(), s.record.Run}) // the daemon may have died before it
	}
	if m.Found {
		t.recoverFamily()
		t.recover()
		t.updateRepeat()
		t.updateFamily()
		t.updateSubagent()
		t.watchSubagent()
		t.reconcile()
		t.reconcileProxy()
		t.recoverCompaction()
		t.reserveLock()
		t.updateCompaction()
		t.releaseSlot()
		t.updateUnwatched()
		t.watchTurn()
		t.forwardAtStart()
		t.tellFamily()
		t.reportDay()
	}
	s, effects := t.finish()
	waiting := s.durable.early
	s.durable.early = nil
	for _, e := range waiting {
		next, more := s.step(now, e.from, e.message)
		s, effects = next, append(effects, more...)
	}
	return s, effects
}

// admit accepts the messages that waited for the pool's answer, one by one: each
// has a key to be remembered, and an append has place for one.
func (s state) admit(now env, effects []act.Effect) (state, []act.Effect) {
	if s.slot.State() == slot.Asked || len(s.slot.admissions) == 0 {
		return s, effects
	}
	knocks := s.slot.admissions
	s.slot.admissions, s.slot.admitting = nil, true
	for _, k := range knocks {
		next, more := s.step(now, k.from, k.message)
		s, effects = next, append(effects, more...)
	}
	s.slot.admitting = false
	if s.slot.State() == slot.Held { // for older work, if none of them was accepted
		next, more := s.step(now, nil, pool.Granted{})
		return next, append(effects, more...)
	}
	return s, effects
}

// before keeps a message that arrives before the session is loaded. Reports of the journal and of a run are dropped: they were for
// an incarnation that crashed, and this one has appended nothing and started no run yet. The run's new incarnation repeats reports
// that still apply.
func (s state) before(from *actor.PID, m any) (state, []act.Effect) {
	switch m.(type) {
	case messages.Committed, messages.AppendRefused:
		return s, nil
	case run.Output, messages.ProcessStarted, messages.RunEnded, messages.InputWrittenTo, run.InputTooLong,
		messages.AnswerWritten, run.Frozen, run.Outruns, run.OutputUnreadable, run.StdinClosed:
		return s, nil
	case journal.Restarted:
		return s, []act.Effect{loadAgain{}} // the first request may be lost
	case journal.Recovered:
		if s.durable.failure == nil {
			return s, nil
		}
		s.durable.failure = nil
		return s, []act.Effect{loadAgain{}}
	case messages.SessionRequest:
		if s.durable.failure != nil {
			return s, []act.Effect{act.Reply{To: from, With: s.refusal("load session")}}
		}
	}
	s.durable.early = append(s.durable.early[:len(s.durable.early):len(s.durable.early)], early{from, m})
	return s, nil
}

// unreadable answers the callers of a session that cannot be loaded. It is loaded when the journal is back.
func (s state) unreadable(cause *messages.Error) (state, []act.Effect) {
	s.durable.failure = cause
	var effects []act.Effect
	for _, e := range s.durable.early {
		if _, ok := e.message.(messages.SessionRequest); ok {
			effects = append(effects, act.Reply{To: e.from, With: s.refusal("load session")})
		}
	}
	s.durable.early = nil
	return s, effects
}

// closed answers all waiting callers that the session was deleted. The id of a deleted session is not used again.
func (s state) closed(err *messages.Error) (state, []act.Effect) {
	var effects []act.Effect
	for _, e := range s.durable.Abandon() {
		if r, ok := e.(act.Reply); ok {
			effects = append(effects, act.Reply{To: r.To, With: err})
		}
	}
	for _, from := range s.waitingCallers() {
		effects = append(effects, act.Reply{To: from, With: err})
	}
	next := s.afterEnd(s.durable.Closed())
	next.slot.Slot = s.slot.Bare()
	return next, append(effects, retire{})
}

// What a session wants of its agent follows from its state, not from the event that came:
//
//	up                      it is given the messages that it does not have
//	wanted and not there    it gets a slot and is started
//	not wanted, not there   the session is idle, and its actor may go
//
// reconcile compares the two at the end of every step. Handlers only change the state.

// reconcile starts an agent if one is wanted and none is there, and gives the running one the
// messages that wait for it.
func (t *transition) reconcile() {
	switch s := &t.s; {
	case s.endReason().Final():
	case s.agent.up:
		t.deliver()
	case s.slot.Taken(): // it is given back first
	case !s.wanted() || s.active() || s.agent.readingTranscript:
	case s.retries.waiting || t.now.full:
	case len(s.slot.admissions) > 0: // they come first, see admit
	case t.wantSlot():
		t.startRun()
	}
}
