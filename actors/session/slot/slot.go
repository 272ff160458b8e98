// Package slot is what a session has of the pool of agents: the right to run one, or a place in the queue.
//
//	        Want               Queued
//	NONE ─────────► ASKED ──────────────► QUEUED
//	 ▲                │ Admitted             │ Granted
//	 │                ▼                      │
//	 └─ Release ──  HELD  ◄──────────────────┘
//
// A [Slot] is a value: it does no I/O, reads no clock, and a copy is independent of the original. Nothing of it is durable: a session
// that is loaded asks again, and one that adopts an agent has a slot. The session sends the messages to the pool.
package slot

import (
	"fmt"
	"time"

	"betcode/actors/health"
	"betcode/actors/internal/texts"
	"betcode/actors/pool"
	"betcode/messages"
)

// State is what a session has of the pool.
type State uint8

// The states.
const (
	None   State = iota
	Asked        // the pool has not answered yet
	Queued       // it will be granted some time
	Held
)

// Slot is what a session knows of its slot. The zero value has none.
type Slot struct {
	state   State
	resting bool // the pool knows that the agent has nothing to do, or yields
	idle    bool // the pool knows that it has nothing to do
	asking  bool // the pool knows that the agent waits for a person
	taken   bool // the pool takes the slot: it is given back when the agent has ended, and asked for again
}

// State returns what the session has.
func (s *Slot) State() State { return s.state }

// Promised reports whether the session has a slot, or will get one.
func (s *Slot) Promised() bool { return s.state == Queued || s.state == Held }

// Taken reports whether the pool takes the slot that the session has.
func (s *Slot) Taken() bool { return s.taken && s.state == Held }

// Known returns what the pool knows of the agent: that it rests, has nothing to do, waits for a person.
func (s *Slot) Known() (resting, idle, asking bool) { return s.resting, s.idle, s.asking }

// Want reports whether the pool is to be asked: the session has no slot and has not asked.
func (s *Slot) Want() bool {
	if s.state != None {
		return false
	}
	s.state = Asked
	return true
}

// Hold notes that the session has a slot.
func (s *Slot) Hold() { s.state = Held }

// Take notes that the pool takes the slot, if the session has one.
func (s *Slot) Take() { s.taken = s.state == Held }

// Release notes that the slot, or the place in the queue, is given back.
func (s *Slot) Release() { *s = Slot{} }

// Bare returns the slot of a session that is removed, of which nothing else is left.
func (s *Slot) Bare() Slot { return Slot{state: s.state} }

// Rests notes whether the agent rests, and whether it has nothing to do. It reports whether that is news for the pool.
func (s *Slot) Rests(resting, idle bool) bool {
	news := resting != s.resting || idle != s.idle
	s.resting, s.idle = resting, idle
	return news
}

// Asks notes whether the agent waits for a person, and reports whether that is news for the pool.
func (s *Slot) Asks(asking bool) bool {
	news := asking != s.asking
	s.asking = asking
	return news
}

// Again reports whether a restarted pool is to be asked again. It knows nothing of the session.
func (s *Slot) Again() bool {
	if s.state != Asked && s.state != Queued {
		return false
	}
	s.state = Asked
	return true
}

// Verdict is what an answer of the pool means.
type Verdict uint8

// The verdicts.
const (
	Ignored Verdict = iota // the session was asking twice, since the pool was restarted; it has what it wants
	Surplus                // the same, and it wants none any more: the answer is given back
	Granted
	Waits
	Refused // not even the queue has room
)

// Answered takes the pool's answer.
func (s *Slot) Answered(place pool.Place) Verdict {
	switch s.state {
	case None:
		return Surplus
	case Held:
		return Ignored
	case Queued:
		if place == pool.Admitted { // the newer answer may be better
			s.state = Held
		}
		return Ignored
	case Asked:
	}
	switch place {
	case pool.Admitted:
		s.state = Held
		return Granted
	case pool.Queued:
		s.state = Queued
		return Waits
	case pool.Full:
	}
	s.state = None
	return Refused
}

// Reason returns why an agent does not start, for people, and which sessions could make room. hold is how long an agent that waits
// for a person keeps its slot. The message is empty if the slot comes at once.
func Reason(m pool.Waits, hold time.Duration) (message string, details map[string]string) {
	message, details = "All agents are busy; this one starts when another has ended or can be parked", map[string]string{"reason": string(m.Reason)}
	switch {
	case m.Reason == messages.SlotSoon:
		return "", nil
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
		details["waiting_for_a_person"], details["hold"] = m.Asking, texts.Duration(hold)
	}
	return message, details
}

// FullError refuses what needs an agent while none may be started, nor wait.
func FullError(op string, id messages.SessionID) *messages.Error {
	return messages.Errorf(op, messages.Exhausted, "all agents are busy and the queue is full").
		WithCode(messages.PoolExhausted).With("session_id", string(id)).
		WithHint("wait for a session to end its turn, or allow more agents at once")
}
