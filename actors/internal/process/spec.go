package process

import (
	"time"

	"betcode/actors/internal/cgroup"
	"betcode/actors/internal/launch"
	"betcode/messages"
)

// Format is the version of the run directory's layout, for [messages.RunRecord].
const Format = launch.Format

// Names of the files in a run directory that others read.
const (
	StdoutFile = launch.StdoutFile
	StderrFile = launch.StderrFile
)

// Stages of a [StartError] that others know.
const (
	StageDirectory = launch.StageDirectory
	StageExecute   = launch.StageExecute
	StageFence     = launch.StageFence
)

// Spec is what to start.
type Spec struct {
	Directory string   // the run directory, made by [Prepare]
	Program   string   // the executable, absolute
	Argv      []string // its arguments, argv[0] included
	Dir       string   // its working directory, absolute
	Env       []string // its environment; the token is added
	Token     string   // random, unique to the run, hard to guess
	Lease     Lease    // how long the agent may be without a daemon; zero = without limit
	Cgroup    string   // the control group it is put into, of [Cgroups.For]; empty = none
	MemoryMax int64    // bytes that the control group may have, if that can be limited; 0 = any number
	Fence     []string // what it may write to, with everything below; empty = there is no fence
}

// Lease says when a launcher ends an agent that has no daemon.
type Lease = launch.Lease

// LeaseEnded is the exit reason of an agent that its launcher ended.
const LeaseEnded = "ended by its launcher: there was no daemon for too long"

// LeaseOn ends an agent that has written nothing for 24 hours while no process had file
// locked. The launcher polls every 15 minutes, which is cheap; time in which the machine
// sleeps does not count.
func LeaseOn(file string) Lease {
	const quarter = 15 * time.Minute
	return Lease{File: file, Every: int(quarter.Milliseconds()), Misses: int(24 * time.Hour / quarter)}
}

// MemoryExceeded is the exit reason of an agent that the kernel has killed at its limit.
const MemoryExceeded = "killed: it needed more than agent.memory_max; allow more with 'betcode config set agent.memory_max'"

// noCgroups says why memory cannot be limited where there are no control groups.
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
	Exit    messages.Exit // unless Running; Known is false where no process saw the end
	Start   *StartError   // why NeverStarted, where the launcher said so
}

// WriteResult is the result of writing a line.
type WriteResult uint8

// The results of [Process.WriteLine]. Unless it is Written or Torn, nothing of the
// line is in the pipe.
const (
	Written   WriteResult = iota // all of it is in the pipe
	Busy                         // not now: the agent has not read what came before ([Process.WaitWritable])
	TooLong                      // longer than the pipe can become: [Process.WriteLong]
	Gone                         // no process reads: the agent has ended
	Torn                         // a line is in the pipe in part: only the rest of a WriteLong may follow
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

// StartError says why an agent could not be started. It is in the chain of the
// error of [Spawn] when, and only when, it is certain that no agent runs.
type StartError struct {
	Stage launch.Stage // how far the launcher came
	Path  string       // what it was about: the program, the working directory, the run directory
	Err   error        // a syscall.Errno
}

// Error returns "stage path: cause".
func (e *StartError) Error() string { return string(e.Stage) + " " + e.Path + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *StartError) Unwrap() error { return e.Err }
