package launch

import "syscall"

// Format is the version of the run directory's layout and of both records.
const Format = 1

// Names of the files in a run directory.
const (
	StdinFile   = "stdin"         // the FIFO
	StdoutFile  = "stdout"        // what the agent says, appended
	StderrFile  = "stderr"        // what it complains about, appended
	LockFile    = "lock"          // locked while the launcher lives
	StartedFile = "launcher.json" // a [Started]
	EndedFile   = "exit.json"     // an [Ended]
	CgroupFile  = "cgroup"        // the path of the agent's control group; not there if it has none
)

// Name is argv[0] of a launcher, for its init function and for ps.
const Name = "betcode-launch"

// Marker is the environment variable that every launcher has, and nobody else:
// the agent does not inherit it. It holds [Format].
const Marker = "BETCODE_LAUNCHER"

// TokenVariable is the environment variable of the agent, and of everything
// below it, that proves whose it is.
const TokenVariable = "BETCODE_RUN_TOKEN"

// Descriptors of the launcher besides the agent's standard streams.
const (
	LockFD   = 3
	ReportFD = 4
)

// Stage says how far the launcher came before it had to give up.
type Stage string

// The stages. Stored: do not change.
const (
	StageRecord    Stage = "record"    // reserving the records, e.g. on a full disk
	StageDirectory Stage = "directory" // going to the agent's working directory
	StageExecute   Stage = "execute"   // starting the program
	StageFence     Stage = "fence"     // restricting what the agent may write to
)

// Process is a process as the records name it.
type Process struct {
	PID       int    `json:"pid"`
	StartTime uint64 `json:"start_time"`
}

// Started is launcher.json: who runs, or why nobody does.
type Started struct {
	Format   int           `json:"format"`
	BootID   string        `json:"boot_id"`
	Launcher Process       `json:"launcher"`
	Agent    Process       `json:"agent"` // pid 0 if it could not be started
	Stage    Stage         `json:"stage"` // where starting failed, else empty
	Errno    syscall.Errno `json:"errno"` // why, else 0
	Error    string        `json:"error"` // the same in words
}

// Lease says how long an agent may be without a daemon. The zero value: without limit.
type Lease struct {
	File   string // which every daemon that looks after the run keeps locked
	Every  int    // how often to look whether it is, in milliseconds
	Misses int    // so often in a row that it is not, and the agent has said nothing, end the agent
}

// LeaseEnded is the reason of an agent that its launcher has ended.
const LeaseEnded = "lease"

// Ended is exit.json: how the agent ended.
type Ended struct {
	Format int   `json:"format"`
	Code   int   `json:"code"`   // exit code, 0 if a signal killed it
	Signal int   `json:"signal"` // number of the signal that killed it, else 0
	At     int64 `json:"at"`     // Unix time in milliseconds

	Reason string `json:"reason,omitempty"` // LeaseEnded, or empty if the launcher had no part in it
}
