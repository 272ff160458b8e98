package messages

import "time"

// StopFleet ends the agents of all sessions, and lets none start until [ResumeFleet], also in later daemons. Turns that ran
// are continued then. Agents that an alarm has frozen stay as they are. Answered with [FleetView].
type StopFleet struct {
	ask
	Client ClientID
	Reason string // for people; may be empty
}

// ResumeFleet lets agents start again, in the order in which their sessions wait. It ends a stop and limits of accounts. Answered
// with [FleetView].
type ResumeFleet struct {
	ask
	Client ClientID
}

// GetFleet asks whether the fleet is stopped, and for what sessions wait. Answered with [FleetView].
type GetFleet struct{ ask }

// FleetView is the state of all sessions together.
type FleetView struct {
	answer
	Stop  FleetStop
	Slots SlotQueue
	Day   DayBudget
}

// FleetStop says that no agent may start, and why; the zero value that agents may.
type FleetStop struct {
	Since  time.Time // zero: the fleet is not stopped
	By     ClientID
	Reason string
}

// Stopped reports whether the fleet is stopped.
func (f FleetStop) Stopped() bool { return !f.Since.IsZero() }

// FleetLimit is a limit of an account: no new turn of its sessions starts until it ends.
type FleetLimit struct {
	Account string    // the agent's configuration directory; empty = the daemon's own
	Session SessionID // whose agent reported it
	Kind    string    // as the agent calls it; may be empty
	Since   time.Time
	Until   time.Time // when turns start again
	Resets  time.Time // when the limit ends as the agent says, which may be later
}

// SlotReason is why a session waits for a slot.
type SlotReason string

// The reasons.
const (
	SlotSoon         SlotReason = ""              // a resting agent is being parked for it
	SlotBusy         SlotReason = "busy"          // all slots are used
	SlotFleetStopped SlotReason = "fleet_stopped" // a client has stopped the fleet
	SlotRateLimited  SlotReason = "rate_limit"    // a limit of the account, or the moments after it
	SlotMemory       SlotReason = "memory"        // too little memory is available
)

// SlotQueue is which sessions wait for a slot of the pool, the next one first, which have a slot while their agents wait for a
// person, and which limits of accounts hold.
type SlotQueue struct {
	Waiting     []SlotWaiter
	Asking      []SessionID
	Limits      []FleetLimit
	Used, Limit int // slots

	// Bytes of memory that are available, and that must be for the next agent to start, while a session waits for that; else 0.
	FreeMemory, NeededMemory int64
}

// SlotWaiter is a session that waits for a slot.
type SlotWaiter struct {
	Session SessionID
	Reason  SlotReason
	Until   time.Time // of a limit of the account
}

// RateLimit is a limit of the account that an agent has run into. The zero value is none.
type RateLimit struct {
	Since time.Time // when the agent reported it; zero: not limited
	Until time.Time // when it ends, as the agent says; zero: the agent does not say
	Kind  string    // the agent's name of it, for example "five_hour"; may be empty
}

// Holds reports whether requests are still expected to be refused: until the time that
// the agent named, or, without one, until a turn succeeds.
func (l RateLimit) Holds(now time.Time) bool {
	return !l.Since.IsZero() && (l.Until.IsZero() || now.Before(l.Until))
}
