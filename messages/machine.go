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

// The conversation between the gateway and the command that runs the daemon, about how
// the daemon was started.

// GetStartup asks how this daemon was started. Answered with [Startup].
type GetStartup struct{ ask }

// Startup answers [GetStartup]. The environment holds secrets: it is for a caller that
// may end the daemon and start the next one, and is never logged. Nothing of it need be
// UTF-8.
type Startup struct {
	answer
	Arguments   []string // the command line, the name of the program first
	Environment []string // NAME=VALUE
	Directory   string   // absolute
	ErrorFile   string   // where the standard error of the next one goes
}
