package actors

import (
	"errors"
	"io/fs"
	"syscall"

	"betcode/actors/health"
	"betcode/messages"
)

// stageState is the stage of a start that failed because nothing can be written below
// the state directory: the next one would fail the same way.
const stageState = "state"

// notWritable reports whether an error says that a directory may not be written to.
func notWritable(err error) bool {
	return errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission)
}

// prepared tells health what became of making a run directory, and gives a failure
// that would come again its stage.
func (o opening) prepared(err error) (messages.Exit, bool) {
	lasts := err != nil && notWritable(err)
	if err == nil || lasts {
		o.system.actors.Root.Send(o.system.health, health.StateDirectory{Err: err})
	}
	if !lasts {
		return messages.Exit{}, false
	}
	return messages.Exit{Known: true, Code: 127, Reason: err.Error(), Stage: stageState}, true
}
