package messages

import "time"

// Messages between a session and its run, which is one incarnation of the agent process.

// ProcessStarted reports that the agent process of a run exists: it was spawned, or found
// alive and adopted. Sent by the run.
type ProcessStarted struct {
	command
	Record  RunRecord // identity filled in
	Adopted bool
	Guard   Guard
	Version string // of the agent's program, queried before the process was spawned; empty = not known
}

// RunEnded reports that a run has ended. The run has sent everything in its spool before.
// Sent by the run, once.
type RunEnded struct {
	command
	Run       RunNumber
	Exit      Exit
	Complaint string // the end of what the process wrote to its standard error
}

// InputWrittenTo reports that the line of an input is in the pipe. Sent by the run.
type InputWrittenTo struct {
	command
	Run RunNumber
	Key string
}

// AnswerWritten reports that the answer to a permission request is in the pipe. Sent by the run.
type AnswerWritten struct {
	command
	Run     RunNumber
	Request RequestID
}

// Credit allows the run that many more uncommitted batches. Sent by the session after a commit.
type Credit struct {
	command
	Run       RunNumber
	Batches   int
	Journaled int64 // spool offset up to which events are durable; 0 = unchanged
}

// GetRawOutput asks for the unchanged output of an agent process so far. Give is called
// with each part, in order, and owns it; an error of Give ends the answer. Answered with
// [Done] after the last part, or with [NotFound] if the run is unknown or its output is
// no longer kept.
type GetRawOutput struct {
	ask
	Session SessionID
	Run     RunNumber // 0 = the newest
	Give    func([]byte) error
}

// RunState is how far one incarnation of the agent process has come. Stored: append only.
type RunState uint8

// The states of a run. Each run that was intended is finished: the daemon journals the
// end even if it could not observe it.
const (
	RunIntended RunState = 0 // journaled before the spawn
	RunRunning  RunState = 1 // the process exists and its identity is known
	RunFinished RunState = 2 // the process has ended
)

// ProcessIdentity identifies a process of ours. A pid alone is not enough, since the
// kernel reuses it.
type ProcessIdentity struct {
	PID       int
	StartTime uint64 // clock ticks after boot, field 22 of /proc/<pid>/stat; 0 if the system has none
	BootID    string // of the boot that StartTime counts from
}

// Exit is how a run ended.
type Exit struct {
	Known  bool   // false: the exit was not observed, because the launcher was killed too
	Code   int    // exit code; meaningless unless Known
	Signal string // name of the signal that killed it, empty for an exit
	Reason string // the cause, for people: "exited", "killed", "never started", …
	Stage  string // stage at which the start failed permanently: "directory" or "execute"; else empty
	At     time.Time
}

// RunRecord is one incarnation of the agent process. It is journaled before the spawn,
// then with the identity of the process, then with its exit.
type RunRecord struct {
	Format       uint32 // version of the run directory's layout
	Session      SessionID
	Run          RunNumber
	State        RunState
	Token        string // random; in the process's environment as BETCODE_RUN_TOKEN
	Directory    string // contains the FIFO and the spool files; mode 0700
	Argv         []string
	Environment  map[string]string // from the client that created the session; copied from run to run
	Options      AgentOptions      // of the session; copied from run to run
	AgentSession string            // argument of --session-id or --resume
	Resumed      bool
	Process      ProcessIdentity
	Launcher     ProcessIdentity
	StartedAt    time.Time
	Exit         Exit

	ControlKey       string   // signs the ids of our control requests; the agent never gets it. Empty: a run of an older daemon
	ControlsAnswered []string // signatures of the requests that the agent has answered, oldest first
	UnansweredCalls  []string // open tool calls whose permission request ended without an allow by the daemon
	CallsDecided     []CallDecided
	Alarm            Code   // SelfApproved, ForgedRequest, ForgedInput or ForgedFleet once the run has raised the alarm, else empty
	Frozen           bool   // the alarm froze the agent until a person decides
	Fence            string // where the kernel lets the agent write: "project"; empty = anywhere
}

// CallDecided is an open tool call whose permission request was decided. Its execution
// time starts at At.
type CallDecided struct {
	ToolUse string
	At      time.Time
}

// Cursor is how far a run's spool has been translated into events, with the translator's
// state at that point. It moves in the same transaction as those events.
type Cursor struct {
	Run        RunNumber
	Offset     int64  // bytes of the spool consumed: the start of the next line
	Translator []byte // encoded state of the translator
	Lines      []byte // of a proxied session: which lines of the proxy have been translated, encoded; Offset counts them
}
