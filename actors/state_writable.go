package actors

import (
	"errors"
	"io/fs"
	"syscall"

	"betcode/actors/health"
	"betcode/actors/session"
	"betcode/messages"
)

// notWritable reports whether an error says that a directory may not be written to.
func notWritable(err error) bool {
	return errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission)
}

// prepared tells health whether a run directory was made. For a failure that the next attempt would meet again it returns the
// end of the run.
func (s *System) prepared(err error) (messages.Exit, bool) {
	lasts := err != nil && notWritable(err)
	if err == nil || lasts {
		s.actors.Root.Send(s.health, health.StateDirectory{Err: err})
	}
	if !lasts {
		return messages.Exit{}, false
	}
	return messages.Exit{Known: true, Code: 127, Reason: err.Error(), Stage: session.StageState}, true
}
