package health

import (
	"time"

	"betcode/messages"
)

// StateDirectory reports whether run directories can be made; nil = they can.
type StateDirectory struct{ Err error }

// stateView returns the line of a state directory that cannot be written to.
func stateView(now time.Time, err error) messages.ComponentHealth {
	return messages.ComponentHealth{
		Name: "state_directory", Checked: now, State: "state_not_writable", Message: err.Error(),
		Reason: "The state directory cannot be written to, so no agent can be started",
		Impact: "Make it writable for the daemon's user (mount, owner, mode), then send a message or 'betcode session resume'",
	}
}
