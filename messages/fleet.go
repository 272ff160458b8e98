package messages

import "time"

// StopFleet ends the agents of all sessions. None starts until [ResumeFleet], even after a restart of the daemon.
// Interrupted turns are continued then. Agents that an alarm has frozen stay as they are. Answered with [FleetView].
type StopFleet struct {
	ask
	Client ClientID
	Reason string // for people; may be empty
}

// ResumeFleet lets agents start again, in the order in which their sessions wait. It ends a stop and lifts limits of
// accounts. Answered with [FleetView].
type ResumeFleet struct {
	ask
	Client ClientID
}

// GetFleet asks whether the fleet is stopped, and why sessions wait. Answered with [FleetView].
type GetFleet struct{ ask }

// FleetView is the state of all sessions together.
type FleetView struct {
	answer
	Stop  FleetStop
	Slots SlotQueue
	Day   DayBudget
}

// FleetStop is a stop of all agents. In the zero value, agents may start.
type FleetStop struct {
	Since  time.Time // zero: the fleet is not stopped
	By     ClientID
	Reason string
}

// Stopped reports whether the fleet is stopped.
func (f FleetStop) Stopped() bool { return !f.Since.IsZero() }

// FleetLimit is a rate limit of an account. No new turn of its sessions starts until it ends.
type FleetLimit struct {
	Account string    // the agent's configuration directory; empty = the daemon's own
	Session SessionID // whose agent reported it
	Kind    string    // as the agent calls it; may be empty
	Since   time.Time
	Until   time.Time // when turns start again
	Resets  time.Time // when the limit ends according to the agent, which may be later
}

// SlotReason is why a session waits for a slot.
type SlotReason string

// The reasons.
const (
	SlotSoon         SlotReason = ""              // an idle agent is being parked for it
	SlotBusy         SlotReason = "busy"          // all slots are used
	SlotFleetStopped SlotReason = "fleet_stopped" // a client has stopped the fleet
	SlotRateLimited  SlotReason = "rate_limit"    // a rate limit of the account, or the short time after it
	SlotMemory       SlotReason = "memory"        // too little memory is available
)

// SlotQueue lists the sessions that wait for a slot of the pool, next first; the sessions that have a slot while their
// agents wait for a person; and the limits of accounts in force.
type SlotQueue struct {
	Waiting     []SlotWaiter
	Asking      []SessionID
	Limits      []FleetLimit
	Used, Limit int // slots

	// Memory that is available, and that the next agent needs to start, in bytes; 0 unless a session waits for memory.
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
	Until time.Time // when it ends according to the agent; zero: not reported
	Kind  string    // the agent's name of it, for example "five_hour"; may be empty
}

// Holds reports whether the limit is still expected to be in force: until Until, or, if
// that is zero, until a turn succeeds.
func (l RateLimit) Holds(now time.Time) bool {
	return !l.Since.IsZero() && (l.Until.IsZero() || now.Before(l.Until))
}
