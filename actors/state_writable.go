package actors

import (
	"errors"
	"io/fs"
	"syscall"
	"time"

	"betcode/messages"
)

// stageState is the stage of a start that failed because nothing can be written below
// the state directory: the next one would fail the same way.
const stageState = "state"

// stateHealth tells health whether run directories can be made: nil is yes.
type stateHealth struct{ err error }

// notWritable reports whether an error says that a directory may not be written to.
func notWritable(err error) bool {
	return errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission)
}

// prepared tells health what became of making a run directory, and gives a failure
// that would come again its stage.
func (o opening) prepared(err error) (messages.Exit, bool) {
	lasts := err != nil && notWritable(err)
	if err == nil || lasts {
		o.system.actors.Root.Send(o.system.health, stateHealth{err})
	}
	if !lasts {
		return messages.Exit{}, false
	}
	return messages.Exit{Known: true, Code: 127, Reason: err.Error(), Stage: stageState}, true
}

// stateView is the line of a state directory that cannot be written to.
func stateView(now time.Time, err error) messages.ComponentHealth {
	return messages.ComponentHealth{
		Name: "state_directory", Checked: now, State: "state_not_writable", Message: err.Error(),
		Reason: "The state directory cannot be written to, so no agent can be started",
		Impact: "Make it writable for the daemon's user (mount, owner, mode), then send a message or 'betcode session resume'",
	}
}
