package session

import (
	"fmt"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/health"
	"betcode/actors/internal/act"
	"betcode/actors/internal/texts"
	"betcode/actors/pool"
	"betcode/actors/run"
	"betcode/messages"
)

// A session runs an agent only with a slot of the pool. It asks for one when it
// has work, waits with the work if there is none, refuses new work if the queue
// is full, and gives the slot back when its agent is gone.

// slotState is what a session has of the pool.
type slotState uint8

const (
	slotNone   slotState = iota
	slotAsked            // the pool has not answered yet
	slotQueued           // it will be granted some time
	slotHeld
)

// slotView is what a session knows of its slot.
type slotView struct {
	state      slotState
	admissions []admission // messages that wait for the pool's answer
	admitting  bool        // they are handled one after the other: the slot is not given back between them
	resting    bool        // the pool knows that the agent has nothing to do, or yields
	idle       bool        // the pool knows that it has nothing to do
	asking     bool        // the pool knows that the agent waits for a person
	taken      bool        // the pool takes the slot: it is given back when the agent has ended, and asked for again
}

// admission is a message for an agent that waits until the pool has answered.
type admission struct {
	from    *actor.PID
	message messages.SessionRequest // SendInput or CompactSession
}

// Effects: a request to the pool, and a message to it.
type (
	askPool    struct{ message any }
	sendToPool struct{ message any }
)

func (askPool) Effect()    {}
func (sendToPool) Effect() {}

// parkDue is the timer's message at the end of an agent's rest.
type parkDue struct{ run messages.RunNumber }

// wantSlot asks for a slot unless the session has one, or has asked. It reports
// whether the agent may be started now.
func (t *transition) wantSlot() bool {
	if t.s.slot.state == slotNone {
		t.s.slot.state = slotAsked
		t.then(askPool{pool.Want{Session: t.s.id, Account: t.s.account(), Subagent: t.s.record.Subagent != nil}})
	}
	return t.s.slot.state == slotHeld
}

// slotAnswered takes the pool's first answer. Messages that waited for it are
// refused if there is no place even in the queue; else they are next, see admit.
func (t *transition) slotAnswered(m pool.Answer) {
	switch t.s.slot.state {
	case slotAsked:
	case slotNone: // asked twice, since the pool was restarted; the first answer stands
		t.then(sendToPool{pool.Release{Session: t.s.id}})
		return
	case slotQueued: // the same; the newer answer may be better
		if m.Place == pool.Admitted {
			t.slotGranted()
		}
		return
	case slotHeld:
		return
	}
	t.s.slot.state = map[pool.Place]slotState{pool.Admitted: slotHeld, pool.Queued: slotQueued, pool.Full: slotNone}[m.Place]
	if t.s.slot.state == slotNone {
		for _, k := range t.s.slot.admissions {
			t.then(act.Reply{To: k.from, With: t.s.poolExhausted("start agent")})
		}
		t.s.slot.admissions, t.s.ending.restart = nil, false
		t.answerRestarters(false, t.s.poolExhausted("restart session"))
	}
	if len(t.s.slot.admissions) == 0 {
		t.maybeRetire()
	}
	switch t.s.slot.state {
	case slotQueued:
		t.answerRestarters(true, nil)
		t.noSlot(m.Waits)
	case slotNone: // work from before a restart: ask again later
		if t.s.wanted() {
			t.retryAfter(t.s.options.Restarts.Max)
		}
	case slotAsked, slotHeld:
	}
}

// slotGranted notes that the session has a slot.
func (t *transition) slotGranted() { t.s.slot.state = slotHeld }

// releaseSlot gives back a slot that is not needed, and reports to the pool when the agent becomes idle or busy. It ends every
// step.
func (t *transition) releaseSlot() {
	needed := t.s.active() || t.s.agent.readingTranscript || len(t.s.slot.admissions) > 0 || (t.s.slot.admitting && t.s.slot.state == slotHeld) || (t.s.wanted() && t.s.slot.state != slotHeld)
	taken := t.s.slot.taken && t.s.slot.state == slotHeld && !t.s.active() && !t.s.agent.readingTranscript
	if t.s.slot.state != slotNone && t.s.slot.state != slotAsked && (!needed || taken) {
		t.s.slot.state, t.s.slot.resting, t.s.slot.idle, t.s.slot.asking, t.s.slot.taken = slotNone, false, false, false, false
		t.then(sendToPool{pool.Release{Session: t.s.id}})
		if taken && t.s.wanted() {
			t.wantSlot()
		}
		return
	}
	idle := t.s.canPark()
	if resting := idle || t.s.yields(t.now.at); resting != t.s.slot.resting || idle != t.s.slot.idle {
		t.s.slot.resting, t.s.slot.idle = resting, idle
		t.then(sendToPool{pool.Resting{Session: t.s.id, Resting: resting, Idle: idle}})
		if idle {
			t.then(act.After{Delay: t.s.options.ParkAfter, Message: parkDue{t.s.record.Run}})
		}
	}
}

// park ends an agent that rests; the next message resumes it. One that yields is
// resumed by an answer.
func (t *transition) park() {
	switch {
	case t.s.canPark():
		t.replaceAgent(endPark, run.StopOrderly) // what comes meanwhile is for the next run
	case t.s.yields(t.now.at):
		t.yieldSlot()
	}
}

// poolRestarted reports to a restarted pool what the session has and wants.
func (t *transition) poolRestarted() {
	switch t.s.slot.state {
	case slotHeld:
		t.then(sendToPool{pool.Taken{Session: t.s.id, Account: t.s.account()}}, sendToPool{pool.Resting{Session: t.s.id, Resting: t.s.slot.resting, Idle: t.s.slot.idle}})
		if t.s.slot.asking {
			t.then(sendToPool{pool.Asking{Session: t.s.id, Asking: true}})
		}
	case slotAsked, slotQueued:
		t.then(askPool{pool.Want{Session: t.s.id, Account: t.s.account(), Subagent: t.s.record.Subagent != nil}})
		t.s.slot.state = slotAsked
	case slotNone:
	}
}

// parkLate parks an agent that has rested all the time since the timer was set.
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
	if t.s.slot.state == slotQueued {
		t.noSlot(m)
	}
}

// noSlot announces why the agent does not start, and which sessions could make room.
func (t *transition) noSlot(m pool.Waits) {
	message, details := "All agents are busy; this one starts when another has ended or can be parked", map[string]string{"reason": string(m.Reason)}
	switch {
	case m.Reason == messages.SlotSoon:
		return
	case m.Reason == messages.SlotFleetStopped:
		message = "The fleet is stopped; this agent starts after 'betcode fleet resume'"
		details["fleet"] = "stopped"
	case m.Reason == messages.SlotRateLimited && m.Until.IsZero():
		message = "The rate limit of the account has just ended; this agent starts in a few seconds"
	case m.Reason == messages.SlotRateLimited:
		until := m.Until.UTC().Format(time.RFC3339)
		message = "The account is rate limited; this agent starts after " + until + ", or after 'betcode fleet resume'"
		details["rate_limited_until"] = until
	case m.Reason == messages.SlotMemory:
		message = fmt.Sprintf("Too little memory is available (%s of %s); this agent starts when there is more", health.Size(m.Free), health.Size(m.Needed))
	case m.Asking != "":
		message = "All agents are busy or wait for an answer (" + m.Asking + "); this one starts when another has ended, is answered or can be parked (betcode permission list)"
		details["waiting_for_a_person"], details["hold"] = m.Asking, texts.Duration(t.s.options.WaitingHold)
	}
	t.notice("WAITING_FOR_SLOT", message, details)
}
