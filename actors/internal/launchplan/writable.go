package launchplan

import (
	"errors"
	"io/fs"
	"syscall"

	"betcode/actors/run"
	"betcode/messages"
)

// NotWritable reports whether a run directory could not be made because the state directory is not writable, with the
// exit of the run. The next attempt would fail the same way.
func NotWritable(err error) (messages.Exit, bool) {
	if !errors.Is(err, syscall.EROFS) && !errors.Is(err, fs.ErrPermission) {
		return messages.Exit{}, false
	}
	return messages.Exit{Known: true, Code: 127, Reason: err.Error(), Stage: run.StageState}, true
}
