package actors

import (
	"os"
	"runtime"

	"betcode/actors/internal/machine"
	"betcode/messages"
)

// machine describes the computer, in the caller's goroutine. What cannot be
// found out about what it has is left out; without an id there is no answer.
func (s *System) machine() (messages.Reply, error) {
	const op = "look at the machine"
	if s.options.MachineFile == "" {
		return nil, messages.Errorf(op, messages.Unimplemented, "this daemon keeps no machine id")
	}
	id, err := machine.Identity(s.options.MachineFile)
	if err != nil {
		return nil, messages.AsError(op, err)
	}
	view := messages.MachineView{ID: id, Seen: s.now(), OS: runtime.GOOS, Cores: runtime.NumCPU(), Memory: machine.Memory()}
	if name, err := os.Hostname(); err == nil {
		view.Hostname = name
	}
	if space, err := s.room.Measure(); err == nil {
		view.DiskFree = uint64(max(space.Free, 0))
	}
	return view, nil
}
