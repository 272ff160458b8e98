package launch

import "syscall"

// Format is the version of the run directory's layout and of both records.
const Format = 1

// Names of the files in a run directory.
const (
	StdinFile   = "stdin"         // the FIFO
	StdoutFile  = "stdout"        // the agent's standard output, appended
	StderrFile  = "stderr"        // its standard error, appended
	LockFile    = "lock"          // locked while the launcher lives
	StartedFile = "launcher.json" // a [Started]
	EndedFile   = "exit.json"     // an [Ended]
	CgroupFile  = "cgroup"        // the path of the agent's control group; missing if it has none
)

// Name is argv[0] of a launcher, for its init function and for ps.
const Name = "betcode-launch"

// Marker is the environment variable that every launcher has, and no other process:
// the agent does not inherit it. Its value is [Format].
const Marker = "BETCODE_LAUNCHER"

// TokenVariable is the environment variable of the agent and its descendants that
// identifies their run.
const TokenVariable = "BETCODE_RUN_TOKEN"

// Descriptors of the launcher besides the agent's standard streams.
const (
	LockFD   = 3
	ReportFD = 4
)

// Stage is the stage at which the launcher failed.
type Stage string

// The stages. Stored: do not change.
const (
	StageRecord    Stage = "record"    // reserving the records, e.g. on a full disk
	StageDirectory Stage = "directory" // changing to the agent's working directory
	StageExecute   Stage = "execute"   // starting the program
	StageFence     Stage = "fence"     // restricting the agent's writes
)

// Process is a process in the records.
type Process struct {
	PID       int    `json:"pid"`
	StartTime uint64 `json:"start_time"`
}

// Started is launcher.json: the agent that runs, or why there is none.
type Started struct {
	Format   int           `json:"format"`
	BootID   string        `json:"boot_id"`
	Launcher Process       `json:"launcher"`
	Agent    Process       `json:"agent"` // pid 0 if it could not be started
	Stage    Stage         `json:"stage"` // the stage at which the start failed, else empty
	Errno    syscall.Errno `json:"errno"` // its error, else 0
	Error    string        `json:"error"` // the text of Errno
}

// Lease limits how long an agent may run without a daemon. The zero value: no limit.
type Lease struct {
	File   string // locked by every daemon that supervises the run
	Every  int    // interval of the checks, in milliseconds
	Misses int    // number of consecutive checks without a daemon and without output that end the agent
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
