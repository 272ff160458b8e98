package messages

import "time"

// StopFleet ends the agents of all sessions, and lets none start until [ResumeFleet], also in later daemons. Turns that ran
// are continued then. Agents that an alarm has frozen stay as they are. Answered with [FleetView].
type StopFleet struct {
	ask
	Client ClientID
	Reason string // for people; may be empty
}

// ResumeFleet lets agents start again, in the order in which their sessions wait. Answered with [FleetView].
type ResumeFleet struct {
	ask
	Client ClientID
}

// GetFleet asks whether the fleet is stopped. Answered with [FleetView].
type GetFleet struct{ ask }

// FleetView is the state of all sessions together.
type FleetView struct {
	answer
	Stop FleetStop
}

// FleetStop says that no agent may start, and why; the zero value that agents may.
type FleetStop struct {
	Since  time.Time // zero: the fleet is not stopped
	By     ClientID
	Reason string
}

// Stopped reports whether the fleet is stopped.
func (f FleetStop) Stopped() bool { return !f.Since.IsZero() }
