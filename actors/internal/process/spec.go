package process

import (
	"time"

	"betcode/actors/internal/cgroup"
	"betcode/actors/internal/launch"
	"betcode/messages"
)

// Format is the version of the run directory's layout, for [messages.RunRecord].
const Format = launch.Format

// Names of files in a run directory that other packages read.
const (
	StdoutFile = launch.StdoutFile
	StderrFile = launch.StderrFile
)

// Stages of a [StartError] that other packages use.
const (
	StageDirectory = launch.StageDirectory
	StageExecute   = launch.StageExecute
	StageFence     = launch.StageFence
)

// Spec describes the agent to start.
type Spec struct {
	Directory string   // the run directory, made by [Prepare]
	Program   string   // the executable, absolute
	Argv      []string // its arguments, argv[0] included
	Dir       string   // its working directory, absolute
	Env       []string // its environment; the token is added
	Token     string   // random, unique to the run, hard to guess
	Lease     Lease    // how long the agent may run without a daemon; zero = without limit
	Cgroup    string   // the path of its control group, from [Cgroups.For]; empty = none
	MemoryMax int64    // bytes that the control group may use, if that can be limited; 0 = no limit
	Fence     []string // paths that it may write to, with everything below; empty = there is no fence
}

// Lease is the condition under which a launcher ends an agent that has no daemon.
type Lease = launch.Lease

// LeaseEnded is the exit reason of an agent that its launcher ended.
const LeaseEnded = "ended by its launcher: there was no daemon for too long"

// LeaseOn ends an agent that has written nothing for 24 hours while no process had file
// locked. The launcher polls every 15 minutes, which is cheap; time in which the machine
// is suspended does not count.
func LeaseOn(file string) Lease {
	const quarter = 15 * time.Minute
	return Lease{File: file, Every: int(quarter.Milliseconds()), Misses: int(24 * time.Hour / quarter)}
}

// MemoryExceeded is the exit reason of an agent that the kernel has killed at its limit.
const MemoryExceeded = "killed: it needed more than agent.memory_max; allow more with 'betcode config set agent.memory_max'"

// noCgroups returns the error of a system on which memory cannot be limited, because there are no control groups.
func noCgroups() error {
	return &cgroup.UnavailableError{Reason: "agents have no control groups here", Mend: "Run the daemon as a systemd service with Delegate=memory and DelegateSubgroup=" + cgroup.Leaf + " (Linux, control groups of version 2)."}
}

// Outcome is the fate of a run.
type Outcome uint8

// The outcomes.
const (
	Running      Outcome = iota // the agent runs
	Ended                       // the agent has run and ended
	NeverStarted                // no agent was ever started
)

var outcomeNames = [...]string{"running", "ended", "never started"}

// String returns the outcome in lower case.
func (o Outcome) String() string {
	if int(o) < len(outcomeNames) {
		return outcomeNames[o]
	}
	return "unknown"
}

// Fate is the result of [Adopt].
type Fate struct {
	Outcome Outcome
	Exit    messages.Exit // unless Running; Known is false if no process saw the end
	Start   *StartError   // the reason of NeverStarted, if the launcher reported one
}

// WriteResult is the result of writing a line.
type WriteResult uint8

// The results of [Process.WriteLine]. Unless the result is Written or Torn, no byte of
// the line is in the pipe.
const (
	Written   WriteResult = iota // all of it is in the pipe
	Busy                         // the agent has not read earlier lines yet ([Process.WaitWritable])
	TooLong                      // longer than the pipe can become: [Process.WriteLong]
	Gone                         // no process reads: the agent has ended
	Torn                         // a part of a line is in the pipe: only its rest, by WriteLong, may follow
	Malformed                    // not one line: a bug of the caller
)

var resultNames = [...]string{"written", "busy", "too long", "gone", "torn", "malformed"}

// String returns the result in lower case.
func (r WriteResult) String() string {
	if int(r) < len(resultNames) {
		return resultNames[r]
	}
	return "unknown"
}

// StartError is the reason why an agent could not be started. It is in the chain of the
// error of [Spawn] when, and only when, it is certain that no agent runs.
type StartError struct {
	Stage launch.Stage // the stage at which the start failed
	Path  string       // the path it failed on: the program, the working directory, the run directory
	Err   error        // a syscall.Errno
}

// Error returns "stage path: cause".
func (e *StartError) Error() string { return string(e.Stage) + " " + e.Path + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *StartError) Unwrap() error { return e.Err }
