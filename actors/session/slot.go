package session

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/act"
	"betcode/actors/pool"
	"betcode/actors/run"
	"betcode/actors/session/ending"
	"betcode/actors/session/prompts"
	"betcode/actors/session/slot"
	"betcode/messages"
)

// A session runs an agent only with a slot of the pool. It asks for one when it
// has work, keeps the work while no slot is free, refuses new work if the queue is
// full, and gives the slot back when its agent is gone.

// slotView is what a session knows of its slot, and what waits for the pool.
type slotView struct {
	slot.Slot

	admissions []admission // messages that wait for the pool's answer
	admitting  bool        // they are being handled one by one: the slot is not given back in between
}

// admission is a message for an agent that waits until the pool has answered.
type admission struct {
	from    *actor.PID
	message messages.SessionRequest // SendInput or CompactSession
}

// waitingCallers are the callers that wait for the pool or for the input lock.
func (s *state) waitingCallers() []*actor.PID {
	var all []*actor.PID
	for _, k := range s.slot.admissions {
		all = append(all, k.from)
	}
	return append(all, s.lock.pending()...)
}

// Effects: a request to the pool, and a message to it.
type (
	askPool    struct{ message any }
	sendToPool struct{ message any }
)

func (askPool) Effect()    {}
func (sendToPool) Effect() {}

// parkDue is the timer's message when an agent has had nothing to do for long enough.
type parkDue struct{ run messages.RunNumber }

// wantSlot asks for a slot unless the session has one, or has asked. It reports
// whether the agent may be started now.
func (t *transition) wantSlot() bool {
	if t.s.slot.Want() {
		t.askPool()
	}
	return t.s.slot.State() == slot.Held
}

func (t *transition) askPool() {
	t.then(askPool{pool.Want{Session: t.s.id, Account: t.s.account(), Subagent: t.s.record.Subagent != nil}})
}

// slotAnswered takes the pool's first answer. Messages that waited for it are
// refused if the queue is full too; otherwise they are next, see admit.
func (t *transition) slotAnswered(m pool.Answer) {
	verdict := t.s.slot.Answered(m.Place)
	switch verdict {
	case slot.Surplus:
		t.then(sendToPool{pool.Release{Session: t.s.id}})
		return
	case slot.Ignored:
		return
	case slot.Refused:
		for _, k := range t.s.slot.admissions {
			t.then(act.Reply{To: k.from, With: slot.FullError("start agent", t.s.id)})
		}
		t.s.slot.admissions, t.s.ending.Restart = nil, false
		t.answerRestarters(false, slot.FullError("restart session", t.s.id))
	case slot.Granted, slot.Waits:
	}
	if len(t.s.slot.admissions) == 0 {
		t.maybeRetire()
	}
	switch {
	case verdict == slot.Waits:
		t.answerRestarters(true, nil)
		t.noSlot(m.Waits)
	case verdict == slot.Refused && t.s.wanted(): // work from before a restart: ask again later
		t.retryAfter(t.s.options.Restarts.Max)
	}
}

// releaseSlot gives back a slot that is not needed, and reports to the pool when the agent becomes idle or busy. It ends every
// step.
func (t *transition) releaseSlot() {
	s := &t.s.slot
	held := s.State() == slot.Held
	needed := t.s.active() || t.s.agent.readingTranscript || len(s.admissions) > 0 || s.admitting && held || t.s.wanted() && !held
	taken := s.Taken() && !t.s.active() && !t.s.agent.readingTranscript
	if s.Promised() && (!needed || taken) {
		s.Release()
		t.then(sendToPool{pool.Release{Session: t.s.id}})
		if taken && t.s.wanted() {
			t.wantSlot()
		}
		return
	}
	idle := t.s.canPark()
	if resting := idle || t.s.yields(t.now.at); s.Rests(resting, idle) {
		t.then(sendToPool{pool.Resting{Session: t.s.id, Resting: resting, Idle: idle}})
		if idle {
			t.then(act.After{Delay: t.s.options.ParkAfter, Message: parkDue{t.s.record.Run}})
		}
	}
}

// park ends an agent that has nothing to do; the next message resumes it. An agent
// that yields is resumed by an answer.
func (t *transition) park() {
	switch {
	case t.s.canPark():
		t.replaceAgent(ending.Park, run.StopOrderly) // messages that arrive meanwhile are for the next run
	case t.s.yields(t.now.at):
		t.yieldSlot()
	}
}

// poolRestarted reports to a restarted pool which slot the session has or wants.
func (t *transition) poolRestarted() {
	if t.s.slot.Again() {
		t.askPool()
	}
	if t.s.slot.State() != slot.Held {
		return
	}
	resting, idle, asking := t.s.slot.Known()
	t.then(sendToPool{pool.Taken{Session: t.s.id, Account: t.s.account()}}, sendToPool{pool.Resting{Session: t.s.id, Resting: resting, Idle: idle}})
	if asking {
		t.then(sendToPool{pool.Asking{Session: t.s.id, Asking: true}})
	}
}

// parkLate parks an agent that has had nothing to do since the timer was set.
func (t *transition) parkLate(m parkDue) {
	rests := m.run == t.s.record.Run && t.s.canPark()
	if rests && t.now.at.Sub(t.s.record.UpdatedAt) >= t.s.options.ParkAfter-time.Second {
		t.park()
	} else if rests {
		t.then(act.After{Delay: t.s.options.ParkAfter - t.now.at.Sub(t.s.record.UpdatedAt), Message: parkDue{m.run}})
	}
}

// slotWaits takes the reason for which the session waits.
func (t *transition) slotWaits(m pool.Waits) {
	if t.s.slot.State() == slot.Queued {
		t.noSlot(m)
	}
}

// noSlot announces why the agent does not start, and which sessions could make room.
func (t *transition) noSlot(m pool.Waits) {
	if message, details := slot.Reason(m, t.s.options.WaitingHold); message != "" {
		t.notice("WAITING_FOR_SLOT", message, details)
	}
}

// An agent that waits for a person keeps its slot for a while. After that it yields: when another session wants the slot, its agent
// is parked, the request stays visible as an orphan, and the first answer resumes the agent, which repeats the call and gets that
// answer (decision 18). No agent is parked while no other session waits.

// yields reports whether the agent may be parked although its turn is not over.
func (s *state) yields(now time.Time) bool {
	at := s.yieldsAt()
	return !at.IsZero() && !now.Before(at)
}

// yieldsAt returns when the agent yields its slot: when it has written nothing and no request has arrived for the hold. A running
// tool writes a line every 30 s, so an agent that is silent for longer waits for the person alone. The zero time means that it does
// not yield.
func (s *state) yieldsAt() time.Time {
	if !s.agent.up || s.replacing() || s.record.StopWanted || len(s.record.Background) > 0 || !s.prompts.AgentWaits() {
		return time.Time{}
	}
	since := s.agent.lastActivity
	for _, p := range s.prompts.List(prompts.Undecided) {
		if !p.Orphaned() && p.ReceivedAt.After(since) {
			since = p.ReceivedAt
		}
	}
	return since.Add(s.options.WaitingHold)
}

// yieldDue is sent when an agent that waits for a person may have waited long enough.
type yieldDue struct{ run messages.RunNumber }

// updateYield reports to the pool when the agent begins or ends to wait for a person, and sets the timer of the hold. It ends every
// step. A hold that has become shorter sets an earlier timer.
func (t *transition) updateYield() {
	at := t.s.yieldsAt()
	if asking := !at.IsZero(); t.s.slot.Asks(asking) {
		t.then(sendToPool{pool.Asking{Session: t.s.id, Asking: asking}})
	}
	if timer := t.s.agent.yieldTimer; at.IsZero() || !timer.IsZero() && !at.Before(timer) {
		return
	}
	if wait := at.Sub(t.now.at); wait > 0 {
		t.s.agent.yieldTimer = at
		t.then(act.After{Delay: wait, Message: yieldDue{t.s.record.Run}})
	}
}

// yieldLate is the end of that timer; updateYield sets the next one if it is needed.
func (t *transition) yieldLate(m yieldDue) {
	if m.run == t.s.record.Run {
		t.s.agent.yieldTimer = time.Time{}
	}
}

// yieldSlot parks an agent that waits for a person, until one answers.
func (t *transition) yieldSlot() {
	r := t.change()
	r.Waiting, r.Phase = messages.WaitsForAnswer, messages.PhaseWaiting
	const message = "The agent is parked while it waits for an answer, since another session needs its slot; an answer resumes it"
	t.notice("PARKED_WAITING", message, map[string]string{"reason": messages.WaitsForAnswer})
	t.status(pb.AgentStatus_WAITING_FOR_USER, message)
	t.replaceAgent(ending.Park, run.StopResumable)
}
