package messages

import "time"

// GetMachine asks for facts about the daemon's machine. Answered with [MachineView].
type GetMachine struct{ ask }

// MachineView answers [GetMachine]. Unknown fields are 0 or empty.
type MachineView struct {
	answer
	ID       string // random; kept in the state directory
	Hostname string
	Seen     time.Time // when the facts were collected

	Worktrees []WorktreeView // known to the daemon, without Work

	OS       string // as runtime.GOOS
	Cores    int    // available to the daemon
	Memory   uint64 // total, in bytes
	DiskFree uint64 // in bytes, on the file system of the agents' files
}

// Messages between the gateway and the command that runs the daemon, about how the daemon was started.

// GetStartup asks how this daemon was started. Answered with [Startup].
type GetStartup struct{ ask }

// Startup answers [GetStartup]. The environment contains secrets: it is only for a caller
// with the right to end the daemon and start the next one, and is never logged. The texts
// need not be UTF-8.
type Startup struct {
	answer
	Arguments   []string // the command line, the name of the program first
	Environment []string // NAME=VALUE
	Directory   string   // absolute
	ErrorFile   string   // file for the standard error of the next daemon
}
