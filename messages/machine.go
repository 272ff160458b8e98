package messages

import "time"

// GetMachine asks what the daemon's machine is and has. Answered with [MachineView].
type GetMachine struct{ ask }

// MachineView answers [GetMachine]. What cannot be told is 0 or empty.
type MachineView struct {
	answer
	ID       string // random; kept in the state directory
	Hostname string
	Seen     time.Time // when this was found out

	Worktrees []WorktreeView // that the daemon keeps, without their work

	OS       string // as runtime.GOOS
	Cores    int    // that the daemon may use
	Memory   uint64 // bytes, all of it
	DiskFree uint64 // bytes, where the agents' files are
}
