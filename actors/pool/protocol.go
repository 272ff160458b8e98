package pool

import (
	"time"

	"betcode/messages"
)

// Messages of sessions to the pool. A slot is the right to run an agent process.
type (
	// Want asks for a slot. The pool replies with Answer, and later with Granted if the session was queued.
	Want struct {
		Session  messages.SessionID
		Account  string // the agent's configuration directory; empty = the daemon's own
		Subagent bool   // queued behind the sessions of people
	}
	// Taken reports that an adopted agent of the session runs already. It may exceed the limit.
	Taken struct {
		Session messages.SessionID
		Account string
	}
	// Release releases a slot, or a place in the queue.
	Release struct{ Session messages.SessionID }
	// Resting reports whether the session's agent may be parked. While sessions are queued, the pool parks the agent that has
	// been in this state longest.
	Resting struct {
		Session messages.SessionID
		Resting bool
		Idle    bool // it is idle, and does not wait for a person
	}
	// Asking reports whether the session's agent waits for a person.
	Asking struct {
		Session messages.SessionID
		Asking  bool
	}
	// Limited reports that the account's limit refuses requests of the session's agent until a time.
	Limited struct {
		Session messages.SessionID
		Account string
		Kind    string // as the agent calls it
		Until   time.Time
	}
)

// Messages of the system to the pool.
type (
	// Stop ends all agents and starts none. Sessions that had a slot are queued for the next one, whatever the queue's limit.
	Stop struct{}
	// Resume lets agents start again, and ends the limits of accounts.
	Resume struct{}
)

// Messages of the pool to sessions.
type (
	// Answer replies to Want. For a queued session it has the reason.
	Answer struct {
		Place Place
		Waits Waits
	}
	// Waits reports to a queued session why it waits, each reason once.
	Waits struct {
		Reason messages.SlotReason
		Asking string    // some of the sessions whose agents wait for a person, separated by commas
		Until  time.Time // of a limit; zero = its end has passed, and the starts are spread

		Free, Needed int64 // bytes of memory, if there is too little
	}
	// Granted gives a slot to a session that was queued.
	Granted struct{}
	// Park asks a session to end an agent that may be parked. The next message resumes the agent.
	Park struct{}
	// Stopped takes the slot of a session: its agent is ended, and the session asks for a slot again if it has work.
	Stopped struct{}
	// Restarted asks every session to repeat its requests.
	Restarted struct{}
)

// Place is the outcome of a request for a slot.
type Place uint8

// The places.
const (
	Admitted Place = iota // granted at once
	Queued                // it has to wait
	Full                  // the queue is full
)
