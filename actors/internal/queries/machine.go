package queries

import (
	"os"
	"runtime"

	"betcode/actors/internal/machine"
	"betcode/messages"
)

// machine describes the computer. It leaves out unknown facts; without an id there is no answer.
func (q *Queries) machine() (messages.Reply, error) {
	const op = "look at the machine"
	if q.deps.MachineFile == "" {
		return nil, messages.Errorf(op, messages.Unimplemented, "this daemon keeps no machine id")
	}
	id, err := machine.Identity(q.deps.MachineFile)
	if err != nil {
		return nil, messages.AsError(op, err)
	}
	view := messages.MachineView{ID: id, Seen: q.deps.Now(), OS: runtime.GOOS, Cores: runtime.NumCPU(), Memory: machine.Memory()}
	if name, err := os.Hostname(); err == nil {
		view.Hostname = name
	}
	if space, err := q.deps.Space(); err == nil {
		view.DiskFree = uint64(max(space.Free, 0))
	}
	if q.deps.Worktrees != nil {
		if view.Worktrees, err = q.deps.Worktrees(); err != nil {
			return nil, messages.AsError(op, err)
		}
	}
	return view, nil
}
